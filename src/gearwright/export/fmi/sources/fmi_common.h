/* What FMI 2.0 and 3.0 have in common, of a machine with its laws.

   The including file includes the headers of its version and defines FMI(name), FMI_STATE(verb) and FMI_RATES for the
   names of functions, FMI_INSTANCE, FMI_STATE_TYPE and FMI_REAL for types, the fields LOGGER of an instance, and
   write_log. */

#include "variables.h"

typedef struct {
  Model model;
  LOGGER
} Unit;

static void write_log(const Unit *unit, const char *why);

static FMI(Status) answer(FMI_INSTANCE instance, int fine)
{
  Unit *unit = (Unit *)instance;
  const char *why = unit->model.trouble != NULL ? unit->model.trouble : "the call failed";
  unit->model.trouble = NULL;
  if (fine) return FMI(OK);
  write_log(unit, why);
  return FMI(Error);
}

static FMI(Status) refused(FMI_INSTANCE instance, const char *why)
{
  ((Unit *)instance)->model.trouble = why;
  return answer(instance, 0);
}

static Unit *instantiated(const char *token)
{
  Unit *unit;
  if (token == NULL || strcmp(token, MODEL_TOKEN) != 0) return NULL;
  unit = (Unit *)calloc(1, sizeof *unit);
  if (unit != NULL) reset(&unit->model);
  return unit;
}

static Model *model_of(FMI_INSTANCE instance) { return &((Unit *)instance)->model; }

const char *FMI(GetVersion)(void) { return FMI(Version); }

FMI(Status) FMI(SetDebugLogging)(FMI_INSTANCE instance, FMI(Boolean) on, size_t n, const FMI(String) categories[])
{
  (void)instance, (void)on, (void)n, (void)categories;
  return FMI(OK);
}

void FMI(FreeInstance)(FMI_INSTANCE instance) { free(instance); }

#define WITHOUT_EFFECT(name)                        \
  FMI(Status) FMI(name)(FMI_INSTANCE instance)      \
  {                                                 \
    (void)instance;                                 \
    return FMI(OK);                                 \
  }

WITHOUT_EFFECT(Terminate)
WITHOUT_EFFECT(EnterEventMode)
WITHOUT_EFFECT(EnterContinuousTimeMode)

/* The start of an experiment: its tolerance (0: the default), time, and end (the start: unknown). */
static FMI(Status) begin_experiment(FMI_INSTANCE instance, double tolerance, double start, double stop)
{
  Model *model = model_of(instance);
  set_tolerance(model, tolerance);
  limit_steps(model, stop - start);
  model->now.t = start;
  model->fresh = 0;
  return FMI(OK);
}

FMI(Status) FMI(ExitInitializationMode)(FMI_INSTANCE instance) { return answer(instance, begun(model_of(instance))); }

FMI(Status) FMI(Reset)(FMI_INSTANCE instance)
{
  reset(model_of(instance));
  return FMI(OK);
}

/* Variables */

static FMI(Status) get_variables(FMI_INSTANCE instance, const FMI(ValueReference) *vr, size_t n, double *values)
{
  size_t k;
  for (k = 0; k < n; ++k)
    if (!get_variable(model_of(instance), vr[k], &values[k])) return answer(instance, 0);
  return FMI(OK);
}

static FMI(Status) set_variables(FMI_INSTANCE instance, const FMI(ValueReference) *vr, size_t n, const double *values)
{
  size_t k;
  for (k = 0; k < n; ++k)
    if (!set_variable(model_of(instance), vr[k], values[k])) return answer(instance, 0);
  return FMI(OK);
}

/* Stored states */

static FMI(Status) copy_point(FMI_INSTANCE instance, FMI_STATE_TYPE *state, const void *point)
{
  if (*state == NULL) *state = malloc(sizeof(Point));
  if (*state == NULL) return refused(instance, "out of memory for a state");
  memcpy(*state, point, sizeof(Point));
  return FMI(OK);
}

FMI(Status) FMI_STATE(Get)(FMI_INSTANCE instance, FMI_STATE_TYPE *state)
{
  return copy_point(instance, state, &model_of(instance)->now);
}

FMI(Status) FMI_STATE(Set)(FMI_INSTANCE instance, FMI_STATE_TYPE state)
{
  Model *model = model_of(instance);
  memcpy(&model->now, state, sizeof(Point));
  model->fresh = 0;
  return FMI(OK);
}

FMI(Status) FMI_STATE(Free)(FMI_INSTANCE instance, FMI_STATE_TYPE *state)
{
  (void)instance;
  free(*state);
  *state = NULL;
  return FMI(OK);
}

static FMI(Status) serialized_size(FMI_INSTANCE instance, FMI_STATE_TYPE state, size_t *size)
{
  (void)instance, (void)state;
  *size = sizeof(Point);
  return FMI(OK);
}

FMI(Status) FMI_STATE(Serialize)(FMI_INSTANCE instance, FMI_STATE_TYPE state, FMI(Byte) bytes[], size_t size)
{
  if (size < sizeof(Point)) return refused(instance, "the array for a serialized state is too short");
  memcpy(bytes, state, sizeof(Point));
  return FMI(OK);
}

static FMI(Status) deserialized(FMI_INSTANCE instance, const FMI(Byte) *bytes, size_t size, FMI_STATE_TYPE *state)
{
  if (size != sizeof(Point)) return refused(instance, "these bytes are not a state of this FMU");
  return copy_point(instance, state, bytes);
}

/* Model Exchange */

/* Find consistent modes; `changed`: whether the continuous states changed. */
static FMI(Status) update_modes(FMI_INSTANCE instance, int *changed)
{
  Model *model = model_of(instance);
  double before[N_STATES];
  int fine;
  memcpy(before, model->now.x, sizeof before);
  fine = settled(model);
  *changed = memcmp(before, model->now.x, sizeof before) != 0;
  return answer(instance, fine);
}

/* Whether a guard of a current mode is violated, as after a step of an input. */
static int violated(Model *model)
{
  double levels[N_GUARDS + 1];
  int g, found = 0;
  if (!indicators(model, levels)) return 0;
  for (g = 0; g < N_GUARDS; ++g) found |= levels[g] < 0.0;
  return found;
}

FMI(Status) FMI(CompletedIntegratorStep)(FMI_INSTANCE instance, FMI(Boolean) no_return, FMI(Boolean) *event,
                                         FMI(Boolean) *end)
{
  (void)no_return;
  *event = violated(model_of(instance)) != 0;
  *end = FMI(False);
  return FMI(OK);
}

FMI(Status) FMI(SetTime)(FMI_INSTANCE instance, FMI_REAL time)
{
  model_of(instance)->now.t = time;
  model_of(instance)->fresh = 0;
  return FMI(OK);
}

FMI(Status) FMI(SetContinuousStates)(FMI_INSTANCE instance, const FMI_REAL x[], size_t n)
{
  if (n != N_STATES) return refused(instance, "the number of states is wrong");
  memcpy(model_of(instance)->now.x, x, n * sizeof(double));
  model_of(instance)->fresh = 0;
  return FMI(OK);
}

FMI(Status) FMI_RATES(FMI_INSTANCE instance, FMI_REAL rates[], size_t n)
{
  if (n != N_STATES) return refused(instance, "the number of states is wrong");
  if (!refreshed(model_of(instance))) return answer(instance, 0);
  memcpy(rates, model_of(instance)->rates, n * sizeof(double));
  return FMI(OK);
}

FMI(Status) FMI(GetEventIndicators)(FMI_INSTANCE instance, FMI_REAL levels[], size_t n)
{
  Model *model = model_of(instance);
  return answer(instance, n == N_GUARDS && indicators(model, levels));
}

FMI(Status) FMI(GetContinuousStates)(FMI_INSTANCE instance, FMI_REAL x[], size_t n)
{
  if (n != N_STATES) return refused(instance, "the number of states is wrong");
  memcpy(x, model_of(instance)->now.x, n * sizeof(double));
  return FMI(OK);
}

FMI(Status) FMI(GetNominalsOfContinuousStates)(FMI_INSTANCE instance, FMI_REAL nominal[], size_t n)
{
  size_t k;
  (void)instance;
  for (k = 0; k < n; ++k) nominal[k] = 1.0;
  return FMI(OK);
}

/* Co-Simulation */

static int step(FMI_INSTANCE instance, double time, double size)
{
  Model *model = model_of(instance);
  int fine;
  model->now.t = time;
  fine = marched(model, time + size);
  memset(model->now.slope, 0, sizeof model->now.slope);
  return fine;
}
