/* FMI 3.0, Model Exchange and Co-Simulation, of a machine with its laws. */

#include "fmi3Functions.h"

#define FMI(name) fmi3##name
#define FMI_STATE(verb) fmi3##verb##FMUState
#define FMI_RATES fmi3GetContinuousStateDerivatives
#define FMI_INSTANCE fmi3Instance
#define FMI_STATE_TYPE fmi3FMUState
#define FMI_REAL fmi3Float64
#define LOGGER                           \
  fmi3InstanceEnvironment environment;   \
  fmi3LogMessageCallback log;

#include "fmi_common.h"

static void write_log(const Unit *unit, const char *why)
{
  if (unit->log != NULL) unit->log(unit->environment, fmi3Error, "logStatusError", why);
}

static fmi3Instance instantiated_with_log(fmi3String token, fmi3InstanceEnvironment environment,
                                          fmi3LogMessageCallback log)
{
  Unit *unit = instantiated(token);
  if (unit != NULL) {
    unit->environment = environment;
    unit->log = log;
  }
  return unit;
}

fmi3Instance fmi3InstantiateModelExchange(fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible,
                                          fmi3Boolean logging, fmi3InstanceEnvironment environment,
                                          fmi3LogMessageCallback log)
{
  (void)name, (void)resources, (void)visible, (void)logging;
  return instantiated_with_log(token, environment, log);
}

fmi3Instance fmi3InstantiateCoSimulation(fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible,
                                         fmi3Boolean logging, fmi3Boolean event_mode, fmi3Boolean early_return,
                                         const fmi3ValueReference intermediate[], size_t n,
                                         fmi3InstanceEnvironment environment, fmi3LogMessageCallback log,
                                         fmi3IntermediateUpdateCallback update)
{
  (void)name, (void)resources, (void)visible, (void)logging, (void)event_mode, (void)early_return;
  (void)intermediate, (void)n, (void)update;
  return instantiated_with_log(token, environment, log);
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

fmi3Status fmi3EnterInitializationMode(fmi3Instance instance, fmi3Boolean tolerance_defined, fmi3Float64 tolerance,
                                       fmi3Float64 start, fmi3Boolean stop_defined, fmi3Float64 stop)
{
  return begin_experiment(instance, tolerance_defined ? tolerance : 0.0, start, stop_defined ? stop : start);
}

WITHOUT_EFFECT(EnterConfigurationMode)
WITHOUT_EFFECT(ExitConfigurationMode)
WITHOUT_EFFECT(EvaluateDiscreteStates)
WITHOUT_EFFECT(EnterStepMode)

fmi3Status fmi3GetFloat64(fmi3Instance instance, const fmi3ValueReference vr[], size_t n, fmi3Float64 values[],
                          size_t n_values)
{
  return n == n_values ? get_variables(instance, vr, n, values) : refused(instance, "all variables are scalars");
}

fmi3Status fmi3SetFloat64(fmi3Instance instance, const fmi3ValueReference vr[], size_t n, const fmi3Float64 values[],
                          size_t n_values)
{
  return n == n_values ? set_variables(instance, vr, n, values) : refused(instance, "all variables are scalars");
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

fmi3Status fmi3SerializedFMUStateSize(fmi3Instance instance, fmi3FMUState state, size_t *size)
{
  return serialized_size(instance, state, size);
}

fmi3Status fmi3DeserializeFMUState(fmi3Instance instance, const fmi3Byte bytes[], size_t size, fmi3FMUState *state)
{
  return deserialized(instance, bytes, size, state);
}

fmi3Status fmi3GetDirectionalDerivative(fmi3Instance instance, const fmi3ValueReference unknowns[], size_t n_unknowns,
                                        const fmi3ValueReference knowns[], size_t n_knowns, const fmi3Float64 seed[],
                                        size_t n_seed, fmi3Float64 result[], size_t n_result)
{
  if (n_seed != n_knowns || n_result != n_unknowns) return refused(instance, "all variables are scalars");
  return answer(instance, directional(model_of(instance), unknowns, n_unknowns, knowns, n_knowns, seed, result));
}

fmi3Status fmi3UpdateDiscreteStates(fmi3Instance instance, fmi3Boolean *again, fmi3Boolean *end,
                                    fmi3Boolean *nominals_changed, fmi3Boolean *states_changed,
                                    fmi3Boolean *next_defined, fmi3Float64 *next)
{
  int changed;
  const fmi3Status status = update_modes(instance, &changed);
  *again = *end = *nominals_changed = *next_defined = fmi3False;
  *next = 0.0;
  *states_changed = changed != 0;
  return status;
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
  const int fine = step(instance, time, size);
  (void)no_return;
  *event = *end = *early = fmi3False;
  *reached = model_of(instance)->now.t;
  return answer(instance, fine);
}
