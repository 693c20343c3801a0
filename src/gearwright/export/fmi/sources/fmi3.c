/* FMI 3.0, Model Exchange and Co-Simulation, of a machine with its laws. */

#include "fmi3Functions.h"

#include "variables.h"

typedef struct {
  Model model;
  fmi3InstanceEnvironment environment;
  fmi3LogMessageCallback log;
} Unit;

static fmi3Status answer(Unit *unit, int fine)
{
  const char *why = unit->model.trouble != NULL ? unit->model.trouble : "the call failed";
  unit->model.trouble = NULL;
  if (fine) return fmi3OK;
  if (unit->log != NULL) unit->log(unit->environment, fmi3Error, "logStatusError", why);
  return fmi3Error;
}

static fmi3Status refused(fmi3Instance instance, const char *why)
{
  ((Unit *)instance)->model.trouble = why;
  return answer((Unit *)instance, 0);
}

static fmi3Instance instantiated(fmi3String token, fmi3InstanceEnvironment environment, fmi3LogMessageCallback log)
{
  Unit *unit;
  if (token == NULL || strcmp(token, MODEL_TOKEN) != 0) return NULL;
  unit = (Unit *)calloc(1, sizeof *unit);
  if (unit == NULL) return NULL;
  reset(&unit->model);
  unit->environment = environment;
  unit->log = log;
  return unit;
}

const char *fmi3GetVersion(void) { return fmi3Version; }

fmi3Status fmi3SetDebugLogging(fmi3Instance instance, fmi3Boolean on, size_t n, const fmi3String categories[])
{
  (void)instance, (void)on, (void)n, (void)categories;
  return fmi3OK;
}

fmi3Instance fmi3InstantiateModelExchange(fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible,
                                          fmi3Boolean logging, fmi3InstanceEnvironment environment,
                                          fmi3LogMessageCallback log)
{
  (void)name, (void)resources, (void)visible, (void)logging;
  return instantiated(token, environment, log);
}

fmi3Instance fmi3InstantiateCoSimulation(fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible,
                                         fmi3Boolean logging, fmi3Boolean event_mode, fmi3Boolean early_return,
                                         const fmi3ValueReference intermediate[], size_t n,
                                         fmi3InstanceEnvironment environment, fmi3LogMessageCallback log,
                                         fmi3IntermediateUpdateCallback update)
{
  (void)name, (void)resources, (void)visible, (void)logging, (void)event_mode, (void)early_return;
  (void)intermediate, (void)n, (void)update;
  return instantiated(token, environment, log);
}

fmi3Instance fmi3InstantiateScheduledExecution(fmi3String name, fmi3String token, fmi3String resources,
                                               fmi3Boolean visible, fmi3Boolean logging,
                                               fmi3InstanceEnvironment environment, fmi3LogMessageCallback log,
                                               fmi3ClockUpdateCallback update, fmi3LockPreemptionCallback lock,
                                               fmi3UnlockPreemptionCallback unlock)
{
  (void)name, (void)token, (void)resources, (void)visible, (void)logging, (void)environment, (void)log;
  (void)update, (void)lock, (void)unlock;
  return NULL;
}

void fmi3FreeInstance(fmi3Instance instance) { free(instance); }

fmi3Status fmi3EnterInitializationMode(fmi3Instance instance, fmi3Boolean tolerance_defined, fmi3Float64 tolerance,
                                       fmi3Float64 start, fmi3Boolean stop_defined, fmi3Float64 stop)
{
  Unit *unit = (Unit *)instance;
  (void)stop_defined, (void)stop;
  set_tolerance(&unit->model, tolerance_defined ? tolerance : 0.0);
  unit->model.now.t = start;
  unit->model.fresh = 0;
  return fmi3OK;
}

fmi3Status fmi3ExitInitializationMode(fmi3Instance instance)
{
  return answer((Unit *)instance, begun(&((Unit *)instance)->model));
}

#define WITHOUT_EFFECT(name)                \
  fmi3Status name(fmi3Instance instance)    \
  {                                         \
    (void)instance;                         \
    return fmi3OK;                          \
  }

WITHOUT_EFFECT(fmi3EnterEventMode)
WITHOUT_EFFECT(fmi3Terminate)
WITHOUT_EFFECT(fmi3EnterConfigurationMode)
WITHOUT_EFFECT(fmi3ExitConfigurationMode)
WITHOUT_EFFECT(fmi3EvaluateDiscreteStates)
WITHOUT_EFFECT(fmi3EnterContinuousTimeMode)
WITHOUT_EFFECT(fmi3EnterStepMode)

fmi3Status fmi3Reset(fmi3Instance instance)
{
  reset(&((Unit *)instance)->model);
  return fmi3OK;
}

fmi3Status fmi3GetFloat64(fmi3Instance instance, const fmi3ValueReference vr[], size_t n, fmi3Float64 values[],
                          size_t n_values)
{
  Unit *unit = (Unit *)instance;
  size_t k;
  if (n != n_values) return refused(instance, "all variables are scalars");
  for (k = 0; k < n; ++k)
    if (!get_variable(&unit->model, vr[k], &values[k])) return answer(unit, 0);
  return fmi3OK;
}

fmi3Status fmi3SetFloat64(fmi3Instance instance, const fmi3ValueReference vr[], size_t n, const fmi3Float64 values[],
                          size_t n_values)
{
  Unit *unit = (Unit *)instance;
  size_t k;
  if (n != n_values) return refused(instance, "all variables are scalars");
  for (k = 0; k < n; ++k)
    if (!set_variable(&unit->model, vr[k], values[k])) return answer(unit, 0);
  return fmi3OK;
}

#define WITHOUT(Kind)                                                                                           \
  fmi3Status fmi3Get##Kind(fmi3Instance instance, const fmi3ValueReference vr[], size_t n, fmi3##Kind values[],  \
                           size_t n_values)                                                                     \
  {                                                                                                             \
    (void)vr, (void)values, (void)n_values;                                                                     \
    return n == 0 ? fmi3OK : refused(instance, "all variables are of type Float64");                        \
  }                                                                                                             \
  fmi3Status fmi3Set##Kind(fmi3Instance instance, const fmi3ValueReference vr[], size_t n,                      \
                           const fmi3##Kind values[], size_t n_values)                                          \
  {                                                                                                             \
    (void)vr, (void)values, (void)n_values;                                                                     \
    return n == 0 ? fmi3OK : refused(instance, "all variables are of type Float64");                        \
  }

WITHOUT(Float32)
WITHOUT(Int8)
WITHOUT(UInt8)
WITHOUT(Int16)
WITHOUT(UInt16)
WITHOUT(Int32)
WITHOUT(UInt32)
WITHOUT(Int64)
WITHOUT(UInt64)
WITHOUT(Boolean)
WITHOUT(String)

#define REFUSED(name, why, ...)                                    \
  fmi3Status name(fmi3Instance instance, __VA_ARGS__)              \
  {                                                                \
    return refused(instance, why);                                 \
  }

#ifdef __GNUC__
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#endif

REFUSED(fmi3GetBinary, "the model has no binary variables", const fmi3ValueReference vr[], size_t n, size_t sizes[],
        fmi3Binary values[], size_t n_values)
REFUSED(fmi3SetBinary, "the model has no binary variables", const fmi3ValueReference vr[], size_t n, const size_t sizes[],
        const fmi3Binary values[], size_t n_values)
REFUSED(fmi3GetClock, "the model has no clocks", const fmi3ValueReference vr[], size_t n, fmi3Clock values[])
REFUSED(fmi3SetClock, "the model has no clocks", const fmi3ValueReference vr[], size_t n, const fmi3Clock values[])
REFUSED(fmi3GetIntervalDecimal, "the model has no clocks", const fmi3ValueReference vr[], size_t n,
        fmi3Float64 intervals[], fmi3IntervalQualifier qualifiers[])
REFUSED(fmi3GetIntervalFraction, "the model has no clocks", const fmi3ValueReference vr[], size_t n, fmi3UInt64 counters[],
        fmi3UInt64 resolutions[], fmi3IntervalQualifier qualifiers[])
REFUSED(fmi3GetShiftDecimal, "the model has no clocks", const fmi3ValueReference vr[], size_t n, fmi3Float64 shifts[])
REFUSED(fmi3GetShiftFraction, "the model has no clocks", const fmi3ValueReference vr[], size_t n, fmi3UInt64 counters[],
        fmi3UInt64 resolutions[])
REFUSED(fmi3SetIntervalDecimal, "the model has no clocks", const fmi3ValueReference vr[], size_t n,
        const fmi3Float64 intervals[])
REFUSED(fmi3SetIntervalFraction, "the model has no clocks", const fmi3ValueReference vr[], size_t n,
        const fmi3UInt64 counters[], const fmi3UInt64 resolutions[])
REFUSED(fmi3SetShiftDecimal, "the model has no clocks", const fmi3ValueReference vr[], size_t n, const fmi3Float64 shifts[])
REFUSED(fmi3SetShiftFraction, "the model has no clocks", const fmi3ValueReference vr[], size_t n,
        const fmi3UInt64 counters[], const fmi3UInt64 resolutions[])
REFUSED(fmi3ActivateModelPartition, "the model has no partitions", fmi3ValueReference clock, fmi3Float64 time)
REFUSED(fmi3GetNumberOfVariableDependencies, "dependencies are in the model description", fmi3ValueReference vr,
        size_t *n)
REFUSED(fmi3GetVariableDependencies, "dependencies are in the model description", fmi3ValueReference dependent,
        size_t places[], fmi3ValueReference independents[], size_t others[], fmi3DependencyKind kinds[], size_t n)
REFUSED(fmi3GetAdjointDerivative, "adjoint derivatives are not supported", const fmi3ValueReference unknowns[],
        size_t n_unknowns, const fmi3ValueReference knowns[], size_t n_knowns, const fmi3Float64 seed[], size_t n_seed,
        fmi3Float64 result[], size_t n_result)
REFUSED(fmi3GetOutputDerivatives, "output derivatives are not supported", const fmi3ValueReference vr[], size_t n,
        const fmi3Int32 orders[], fmi3Float64 values[], size_t n_values)

#ifdef __GNUC__
#pragma GCC diagnostic pop
#endif

fmi3Status fmi3GetFMUState(fmi3Instance instance, fmi3FMUState *state)
{
  if (*state == NULL) *state = malloc(sizeof(Point));
  if (*state == NULL) return refused(instance, "out of memory for a state");
  memcpy(*state, &((Unit *)instance)->model.now, sizeof(Point));
  return fmi3OK;
}

fmi3Status fmi3SetFMUState(fmi3Instance instance, fmi3FMUState state)
{
  Model *model = &((Unit *)instance)->model;
  memcpy(&model->now, state, sizeof(Point));
  model->fresh = 0;
  choose(model);
  return fmi3OK;
}

fmi3Status fmi3FreeFMUState(fmi3Instance instance, fmi3FMUState *state)
{
  (void)instance;
  free(*state);
  *state = NULL;
  return fmi3OK;
}

fmi3Status fmi3SerializedFMUStateSize(fmi3Instance instance, fmi3FMUState state, size_t *size)
{
  (void)instance, (void)state;
  *size = sizeof(Point);
  return fmi3OK;
}

fmi3Status fmi3SerializeFMUState(fmi3Instance instance, fmi3FMUState state, fmi3Byte bytes[], size_t size)
{
  if (size < sizeof(Point)) return refused(instance, "the array for a serialized state is too short");
  memcpy(bytes, state, sizeof(Point));
  return fmi3OK;
}

fmi3Status fmi3DeserializeFMUState(fmi3Instance instance, const fmi3Byte bytes[], size_t size, fmi3FMUState *state)
{
  if (size != sizeof(Point)) return refused(instance, "these bytes are not a state of this FMU");
  if (*state == NULL) *state = malloc(sizeof(Point));
  if (*state == NULL) return refused(instance, "out of memory for a state");
  memcpy(*state, bytes, sizeof(Point));
  return fmi3OK;
}

fmi3Status fmi3GetDirectionalDerivative(fmi3Instance instance, const fmi3ValueReference unknowns[], size_t n_unknowns,
                                        const fmi3ValueReference knowns[], size_t n_knowns, const fmi3Float64 seed[],
                                        size_t n_seed, fmi3Float64 result[], size_t n_result)
{
  Unit *unit = (Unit *)instance;
  if (n_seed != n_knowns || n_result != n_unknowns) return refused(instance, "all variables are scalars");
  return answer(unit, directional(&unit->model, unknowns, n_unknowns, knowns, n_knowns, seed, result));
}

fmi3Status fmi3UpdateDiscreteStates(fmi3Instance instance, fmi3Boolean *again, fmi3Boolean *end,
                                    fmi3Boolean *nominals_changed, fmi3Boolean *states_changed,
                                    fmi3Boolean *next_defined, fmi3Float64 *next)
{
  Model *model = &((Unit *)instance)->model;
  double before[N_STATES];
  int fine;
  memcpy(before, model->now.x, sizeof before);
  fine = settled(model);
  *again = *end = *nominals_changed = *next_defined = fmi3False;
  *next = 0.0;
  *states_changed = memcmp(before, model->now.x, sizeof before) != 0;
  return answer((Unit *)instance, fine);
}

fmi3Status fmi3CompletedIntegratorStep(fmi3Instance instance, fmi3Boolean no_return, fmi3Boolean *event,
                                       fmi3Boolean *end)
{
  (void)no_return;
  *event = violated(&((Unit *)instance)->model) != 0;
  *end = fmi3False;
  return fmi3OK;
}

fmi3Status fmi3SetTime(fmi3Instance instance, fmi3Float64 time)
{
  ((Unit *)instance)->model.now.t = time;
  ((Unit *)instance)->model.fresh = 0;
  return fmi3OK;
}

fmi3Status fmi3SetContinuousStates(fmi3Instance instance, const fmi3Float64 x[], size_t n)
{
  if (n != N_STATES) return refused(instance, "the number of states is wrong");
  memcpy(((Unit *)instance)->model.now.x, x, n * sizeof(double));
  ((Unit *)instance)->model.fresh = 0;
  return fmi3OK;
}

fmi3Status fmi3GetContinuousStateDerivatives(fmi3Instance instance, fmi3Float64 rates[], size_t n)
{
  Unit *unit = (Unit *)instance;
  if (n != N_STATES) return refused(instance, "the number of states is wrong");
  if (!refreshed(&unit->model)) return answer(unit, 0);
  memcpy(rates, unit->model.rates, n * sizeof(double));
  return fmi3OK;
}

fmi3Status fmi3GetEventIndicators(fmi3Instance instance, fmi3Float64 levels[], size_t n)
{
  Unit *unit = (Unit *)instance;
  const int fine = n == N_GUARDS && indicators(&unit->model, unit->model.now.t, unit->model.now.x, levels);
  return answer(unit, fine);
}

fmi3Status fmi3GetContinuousStates(fmi3Instance instance, fmi3Float64 x[], size_t n)
{
  if (n != N_STATES) return refused(instance, "the number of states is wrong");
  memcpy(x, ((Unit *)instance)->model.now.x, n * sizeof(double));
  return fmi3OK;
}

fmi3Status fmi3GetNominalsOfContinuousStates(fmi3Instance instance, fmi3Float64 nominal[], size_t n)
{
  size_t k;
  (void)instance;
  for (k = 0; k < n; ++k) nominal[k] = 1.0;
  return fmi3OK;
}

fmi3Status fmi3GetNumberOfEventIndicators(fmi3Instance instance, size_t *n)
{
  (void)instance;
  *n = N_GUARDS;
  return fmi3OK;
}

fmi3Status fmi3GetNumberOfContinuousStates(fmi3Instance instance, size_t *n)
{
  (void)instance;
  *n = N_STATES;
  return fmi3OK;
}

fmi3Status fmi3DoStep(fmi3Instance instance, fmi3Float64 time, fmi3Float64 size, fmi3Boolean no_return,
                      fmi3Boolean *event, fmi3Boolean *end, fmi3Boolean *early, fmi3Float64 *reached)
{
  Unit *unit = (Unit *)instance;
  int fine;
  (void)no_return;
  unit->model.now.t = time;
  fine = marched(&unit->model, time + size);
  *event = *end = *early = fmi3False;
  *reached = unit->model.now.t;
  return answer(unit, fine);
}
