/* FMI 2.0, Model Exchange and Co-Simulation, of a machine with its laws. */

#include "fmi2Functions.h"

#define FMI(name) fmi2##name
#define FMI_STATE(verb) fmi2##verb##FMUstate
#define FMI_RATES fmi2GetDerivatives
#define FMI_INSTANCE fmi2Component
#define FMI_STATE_TYPE fmi2FMUstate
#define FMI_REAL fmi2Real
#define LOGGER const fmi2CallbackFunctions *callbacks;

#include "fmi_common.h"

static void write_log(const Unit *unit, const char *why)
{
  if (unit->callbacks != NULL && unit->callbacks->logger != NULL)
    unit->callbacks->logger(unit->callbacks->componentEnvironment, MODEL_NAME, fmi2Error, "logStatusError", "%s", why);
}

const char *fmi2GetTypesPlatform(void) { return fmi2TypesPlatform; }

fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                              const fmi2CallbackFunctions *functions, fmi2Boolean visible, fmi2Boolean logging)
{
  Unit *unit = instantiated(guid);
  (void)name, (void)type, (void)resources, (void)visible, (void)logging;
  if (unit != NULL) unit->callbacks = functions;
  return unit;
}

fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean tolerance_defined, fmi2Real tolerance, fmi2Real start,
                               fmi2Boolean stop_defined, fmi2Real stop)
{
  return begin_experiment(c, tolerance_defined ? tolerance : 0.0, start, stop_defined ? stop : start);
}

WITHOUT_EFFECT(EnterInitializationMode)

fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference vr[], size_t n, fmi2Real value[])
{
  return get_variables(c, vr, n, value);
}

fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2Real value[])
{
  return set_variables(c, vr, n, value);
}

#define WITHOUT(Kind)                                                                                           \
  fmi2Status fmi2Get##Kind(fmi2Component c, const fmi2ValueReference vr[], size_t n, fmi2##Kind value[])        \
  {                                                                                                             \
    (void)vr, (void)value;                                                                                      \
    return n == 0 ? fmi2OK : refused(c, "all variables are real");                                              \
  }                                                                                                             \
  fmi2Status fmi2Set##Kind(fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2##Kind value[])  \
  {                                                                                                             \
    (void)vr, (void)value;                                                                                      \
    return n == 0 ? fmi2OK : refused(c, "all variables are real");                                              \
  }

WITHOUT(Integer)
WITHOUT(Boolean)
WITHOUT(String)

fmi2Status fmi2SerializedFMUstateSize(fmi2Component c, fmi2FMUstate state, size_t *size)
{
  return serialized_size(c, state, size);
}

fmi2Status fmi2DeSerializeFMUstate(fmi2Component c, const fmi2Byte bytes[], size_t size, fmi2FMUstate *state)
{
  return deserialized(c, bytes, size, state);
}

fmi2Status fmi2GetDirectionalDerivative(fmi2Component c, const fmi2ValueReference unknowns[], size_t n_unknowns,
                                        const fmi2ValueReference knowns[], size_t n_knowns, const fmi2Real seed[],
                                        fmi2Real result[])
{
  return answer(c, directional(model_of(c), unknowns, n_unknowns, knowns, n_knowns, seed, result));
}

fmi2Status fmi2NewDiscreteStates(fmi2Component c, fmi2EventInfo *info)
{
  memset(info, 0, sizeof *info);
  return update_modes(c, &info->valuesOfContinuousStatesChanged);
}

fmi2Status fmi2SetRealInputDerivatives(fmi2Component c, const fmi2ValueReference vr[], size_t n,
                                       const fmi2Integer order[], const fmi2Real value[])
{
  size_t k;
  for (k = 0; k < n; ++k) {
    const int r = (int)vr[k];
    if (order[k] != 1 || r < FIRST_INPUT || r >= FIRST_PARAMETER)
      return refused(c, "only first derivatives of inputs can be set");
    model_of(c)->now.slope[r - FIRST_INPUT] = value[k];
  }
  return fmi2OK;
}

fmi2Status fmi2GetRealOutputDerivatives(fmi2Component c, const fmi2ValueReference vr[], size_t n,
                                        const fmi2Integer order[], fmi2Real value[])
{
  (void)vr, (void)n, (void)order, (void)value;
  return refused(c, "output derivatives are not supported");
}

fmi2Status fmi2DoStep(fmi2Component c, fmi2Real time, fmi2Real size, fmi2Boolean no_set_state)
{
  (void)no_set_state;
  return answer(c, step(c, time, size));
}

fmi2Status fmi2CancelStep(fmi2Component c) { return refused(c, "steps are not asynchronous"); }

fmi2Status fmi2GetStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Status *value)
{
  (void)kind, (void)value;
  return refused(c, "steps are not asynchronous");
}

fmi2Status fmi2GetRealStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Real *value)
{
  (void)kind;
  *value = model_of(c)->now.t;
  return fmi2OK;
}

fmi2Status fmi2GetIntegerStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Integer *value)
{
  (void)kind, (void)value;
  return refused(c, "this status is not supported");
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
  return refused(c, "this status is not supported");
}
