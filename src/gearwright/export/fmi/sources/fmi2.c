/* FMI 2.0, Model Exchange and Co-Simulation, of a machine with its laws. */

#include "fmi2Functions.h"

#include "variables.h"

typedef struct {
  Model model;
  const fmi2CallbackFunctions *callbacks;
  int co_simulation;
} Unit;

static fmi2Status answer(Unit *unit, int fine)
{
  const char *why = unit->model.trouble != NULL ? unit->model.trouble : "the call failed";
  unit->model.trouble = NULL;
  if (fine) return fmi2OK;
  if (unit->callbacks != NULL && unit->callbacks->logger != NULL)
    unit->callbacks->logger(unit->callbacks->componentEnvironment, MODEL_NAME, fmi2Error, "logStatusError", "%s", why);
  return fmi2Error;
}

static fmi2Status refused(Unit *unit, const char *why)
{
  unit->model.trouble = why;
  return answer(unit, 0);
}

const char *fmi2GetTypesPlatform(void) { return fmi2TypesPlatform; }

const char *fmi2GetVersion(void) { return fmi2Version; }

fmi2Status fmi2SetDebugLogging(fmi2Component c, fmi2Boolean on, size_t n, const fmi2String categories[])
{
  (void)c, (void)on, (void)n, (void)categories;
  return fmi2OK;
}

fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                              const fmi2CallbackFunctions *functions, fmi2Boolean visible, fmi2Boolean logging)
{
  Unit *unit;
  (void)name, (void)resources, (void)visible, (void)logging;
  if (guid == NULL || strcmp(guid, MODEL_TOKEN) != 0) return NULL;
  unit = (Unit *)calloc(1, sizeof *unit);
  if (unit == NULL) return NULL;
  reset(&unit->model);
  unit->callbacks = functions;
  unit->co_simulation = type == fmi2CoSimulation;
  return unit;
}

void fmi2FreeInstance(fmi2Component c) { free(c); }

fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean tolerance_defined, fmi2Real tolerance, fmi2Real start,
                               fmi2Boolean stop_defined, fmi2Real stop)
{
  Unit *unit = (Unit *)c;
  (void)stop_defined, (void)stop;
  set_tolerance(&unit->model, tolerance_defined ? tolerance : 0.0);
  unit->model.now.t = start;
  unit->model.fresh = 0;
  return fmi2OK;
}

fmi2Status fmi2EnterInitializationMode(fmi2Component c)
{
  (void)c;
  return fmi2OK;
}

fmi2Status fmi2ExitInitializationMode(fmi2Component c) { return answer((Unit *)c, begun(&((Unit *)c)->model)); }

fmi2Status fmi2Terminate(fmi2Component c)
{
  (void)c;
  return fmi2OK;
}

fmi2Status fmi2Reset(fmi2Component c)
{
  reset(&((Unit *)c)->model);
  return fmi2OK;
}

fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference vr[], size_t n, fmi2Real value[])
{
  Unit *unit = (Unit *)c;
  size_t k;
  for (k = 0; k < n; ++k)
    if (!get_variable(&unit->model, vr[k], &value[k])) return answer(unit, 0);
  return fmi2OK;
}

fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2Real value[])
{
  Unit *unit = (Unit *)c;
  size_t k;
  for (k = 0; k < n; ++k)
    if (!set_variable(&unit->model, vr[k], value[k])) return answer(unit, 0);
  return fmi2OK;
}

#define WITHOUT(Kind)                                                                                       \
  fmi2Status fmi2Get##Kind(fmi2Component c, const fmi2ValueReference vr[], size_t n, fmi2##Kind value[])        \
  {                                                                                                             \
    (void)vr, (void)value;                                                                                      \
    return n == 0 ? fmi2OK : refused((Unit *)c, "all variables are real");                                      \
  }                                                                                                             \
  fmi2Status fmi2Set##Kind(fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2##Kind value[])  \
  {                                                                                                             \
    (void)vr, (void)value;                                                                                      \
    return n == 0 ? fmi2OK : refused((Unit *)c, "all variables are real");                                      \
  }

WITHOUT(Integer)
WITHOUT(Boolean)
WITHOUT(String)

fmi2Status fmi2GetFMUstate(fmi2Component c, fmi2FMUstate *state)
{
  if (*state == NULL) *state = malloc(sizeof(Point));
  if (*state == NULL) return refused((Unit *)c, "out of memory for a state");
  memcpy(*state, &((Unit *)c)->model.now, sizeof(Point));
  return fmi2OK;
}

fmi2Status fmi2SetFMUstate(fmi2Component c, fmi2FMUstate state)
{
  Model *model = &((Unit *)c)->model;
  memcpy(&model->now, state, sizeof(Point));
  model->fresh = 0;
  choose(model);
  return fmi2OK;
}

fmi2Status fmi2FreeFMUstate(fmi2Component c, fmi2FMUstate *state)
{
  (void)c;
  free(*state);
  *state = NULL;
  return fmi2OK;
}

fmi2Status fmi2SerializedFMUstateSize(fmi2Component c, fmi2FMUstate state, size_t *size)
{
  (void)c, (void)state;
  *size = sizeof(Point);
  return fmi2OK;
}

fmi2Status fmi2SerializeFMUstate(fmi2Component c, fmi2FMUstate state, fmi2Byte bytes[], size_t size)
{
  if (size < sizeof(Point)) return refused((Unit *)c, "the array for a serialized state is too short");
  memcpy(bytes, state, sizeof(Point));
  return fmi2OK;
}

fmi2Status fmi2DeSerializeFMUstate(fmi2Component c, const fmi2Byte bytes[], size_t size, fmi2FMUstate *state)
{
  if (size != sizeof(Point)) return refused((Unit *)c, "these bytes are not a state of this FMU");
  if (*state == NULL) *state = malloc(sizeof(Point));
  if (*state == NULL) return refused((Unit *)c, "out of memory for a state");
  memcpy(*state, bytes, sizeof(Point));
  return fmi2OK;
}

fmi2Status fmi2GetDirectionalDerivative(fmi2Component c, const fmi2ValueReference unknowns[], size_t n_unknowns,
                                        const fmi2ValueReference knowns[], size_t n_knowns, const fmi2Real seed[],
                                        fmi2Real result[])
{
  Unit *unit = (Unit *)c;
  return answer(unit, directional(&unit->model, unknowns, n_unknowns, knowns, n_knowns, seed, result));
}

fmi2Status fmi2EnterEventMode(fmi2Component c)
{
  (void)c;
  return fmi2OK;
}

fmi2Status fmi2NewDiscreteStates(fmi2Component c, fmi2EventInfo *info)
{
  Model *model = &((Unit *)c)->model;
  double before[N_STATES];
  int fine;
  memcpy(before, model->now.x, sizeof before);
  fine = settled(model);
  memset(info, 0, sizeof *info);
  info->valuesOfContinuousStatesChanged = memcmp(before, model->now.x, sizeof before) != 0;
  return answer((Unit *)c, fine);
}

fmi2Status fmi2EnterContinuousTimeMode(fmi2Component c)
{
  (void)c;
  return fmi2OK;
}

fmi2Status fmi2CompletedIntegratorStep(fmi2Component c, fmi2Boolean no_return, fmi2Boolean *event, fmi2Boolean *end)
{
  (void)no_return;
  *event = violated(&((Unit *)c)->model);
  *end = fmi2False;
  return fmi2OK;
}

fmi2Status fmi2SetTime(fmi2Component c, fmi2Real time)
{
  ((Unit *)c)->model.now.t = time;
  ((Unit *)c)->model.fresh = 0;
  return fmi2OK;
}

fmi2Status fmi2SetContinuousStates(fmi2Component c, const fmi2Real x[], size_t n)
{
  if (n != N_STATES) return refused((Unit *)c, "the number of states is wrong");
  memcpy(((Unit *)c)->model.now.x, x, n * sizeof(double));
  ((Unit *)c)->model.fresh = 0;
  return fmi2OK;
}

fmi2Status fmi2GetDerivatives(fmi2Component c, fmi2Real rates[], size_t n)
{
  Unit *unit = (Unit *)c;
  if (n != N_STATES) return refused(unit, "the number of states is wrong");
  if (!refreshed(&unit->model)) return answer(unit, 0);
  memcpy(rates, unit->model.rates, n * sizeof(double));
  return fmi2OK;
}

fmi2Status fmi2GetEventIndicators(fmi2Component c, fmi2Real levels[], size_t n)
{
  Unit *unit = (Unit *)c;
  const int fine = n == N_GUARDS && indicators(&unit->model, unit->model.now.t, unit->model.now.x, levels);
  return answer(unit, fine);
}

fmi2Status fmi2GetContinuousStates(fmi2Component c, fmi2Real x[], size_t n)
{
  if (n != N_STATES) return refused((Unit *)c, "the number of states is wrong");
  memcpy(x, ((Unit *)c)->model.now.x, n * sizeof(double));
  return fmi2OK;
}

fmi2Status fmi2GetNominalsOfContinuousStates(fmi2Component c, fmi2Real nominal[], size_t n)
{
  size_t k;
  (void)c;
  for (k = 0; k < n; ++k) nominal[k] = 1.0;
  return fmi2OK;
}

fmi2Status fmi2SetRealInputDerivatives(fmi2Component c, const fmi2ValueReference vr[], size_t n,
                                       const fmi2Integer order[], const fmi2Real value[])
{
  Unit *unit = (Unit *)c;
  size_t k;
  for (k = 0; k < n; ++k) {
    const int r = (int)vr[k];
    if (order[k] != 1 || r < FIRST_INPUT || r >= FIRST_PARAMETER)
      return refused(unit, "only first derivatives of inputs can be set");
    unit->model.now.slope[r - FIRST_INPUT] = value[k];
  }
  return fmi2OK;
}

fmi2Status fmi2GetRealOutputDerivatives(fmi2Component c, const fmi2ValueReference vr[], size_t n,
                                        const fmi2Integer order[], fmi2Real value[])
{
  (void)vr, (void)n, (void)order, (void)value;
  return refused((Unit *)c, "output derivatives are not supported");
}

fmi2Status fmi2DoStep(fmi2Component c, fmi2Real time, fmi2Real size, fmi2Boolean no_set_state)
{
  Unit *unit = (Unit *)c;
  int fine;
  (void)no_set_state;
  unit->model.now.t = time;
  fine = marched(&unit->model, time + size);
  memset(unit->model.now.slope, 0, sizeof unit->model.now.slope);
  return answer(unit, fine);
}

fmi2Status fmi2CancelStep(fmi2Component c) { return refused((Unit *)c, "steps are not asynchronous"); }

fmi2Status fmi2GetStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Status *value)
{
  (void)kind, (void)value;
  return refused((Unit *)c, "steps are not asynchronous");
}

fmi2Status fmi2GetRealStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Real *value)
{
  (void)kind;
  *value = ((Unit *)c)->model.now.t;
  return fmi2OK;
}

fmi2Status fmi2GetIntegerStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Integer *value)
{
  (void)kind, (void)value;
  return refused((Unit *)c, "this status is not supported");
}

fmi2Status fmi2GetBooleanStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Boolean *value)
{
  (void)c, (void)kind;
  *value = fmi2False;
  return fmi2OK;
}

fmi2Status fmi2GetStringStatus(fmi2Component c, const fmi2StatusKind kind, fmi2String *value)
{
  (void)kind, (void)value;
  return refused((Unit *)c, "this status is not supported");
}
