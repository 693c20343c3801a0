/* A machine with its laws: its point, rates, outputs and derivatives there, consistent modes, and its integration.

   All of it is done by engine.h with the kernels of model.h; here are only the data that pass between both and FMI. */

#include <string.h>

#define LONGEST_STEP 0.02    /* [s] with guards, so that no event is missed; shorter in short experiments */
#define MOST_STEPS 1000000   /* in one communication step */
#define ABSOLUTE_RATIO 0.01  /* absolute tolerance relative to the relative one */

typedef struct {                 /* the state that a simulation may save and restore */
  double t;
  double x[N_STATES];            /* q, v, states of laws, supplied and dissipated work */
  double u[N_INPUTS + 1];
  double slope[N_INPUTS + 1];    /* rates of inputs within a communication step */
  double p[N_PARAMETERS + 1];
  double step;                   /* the last step of the integrator, 0 at the start */
  double tolerance;
  int implicit;                  /* whether steps are implicit: fast decay kept the explicit ones short */
  int mode[N_LAWS + 1];          /* the mode of each law */
} Point;

typedef struct {
  Point now;
  LoopWorkspace loop;
  LoopArrays arrays;
  double rates[N_STATES], seen[N_OUTPUTS + 1], seen_along[N_OUTPUTS + 1];
  int fresh;                     /* whether rates and outputs belong to the point */
  int initial;                   /* whether the initial modes are still unknown */
  const char *trouble;           /* why the last call failed */
} Model;

static int run_kernel(Code code, Table table) { return code(table); }

static int invoke_callback(Code code, double t) /* inputs are lines: nothing is called back */
{
  (void)code, (void)t;
  return 1;
}

static int failed(Model *model, const char *why)
{
  model->trouble = why;
  return 0;
}

/* Limit the steps of a machine with guards as gearwright.simulate does in an experiment of this duration (0: unknown). */
static void limit_steps(Model *model, double duration)
{
  double longest = duration > 0.0 ? duration / MIN_STEPS_WITH_EVENTS : LONGEST_STEP;
  model->loop.longest = N_GUARDS > 0 ? fmin(longest, LONGEST_STEP) : 1e300;
}

/* Connect the workspace with its arrays and kernels. */
static void connect_machine(Model *model)
{
  LoopWorkspace *s = &model->loop;
  int k;
  memset(s, 0, sizeof *s);
  connect_loop(s, &model->arrays);
  limit_steps(model, 0.0);
  s->piece_half[0] = 1.0;
  s->piece_degree[0] = 1;
  for (k = 0; k < N_INPUTS; ++k) s->held_keep[k] = 1.0;
}

/* Copy the point to the workspace. */
static LoopWorkspace *loaded(Model *model)
{
  LoopWorkspace *s = &model->loop;
  const Point *now = &model->now;
  memcpy(s->x, now->x, sizeof now->x);
  memcpy(s->p, now->p, N_PARAMETERS * sizeof(double));
  memcpy(s->modes, now->mode, N_LAWS * sizeof(int));
  memcpy(s->coefficients, now->u, N_INPUTS * sizeof(double));
  memcpy(s->coefficients + N_INPUTS, now->slope, N_INPUTS * sizeof(double));
  s->t = s->piece_begin[0] = s->piece_middle[0] = now->t;
  s->bound = s->latest = 1e300;
  s->events = 0;
  restart_in_modes(s);
  return s;
}

/* Copy time, state, modes and inputs back to the point. */
static void store_point(Model *model)
{
  const LoopWorkspace *s = &model->loop;
  Point *now = &model->now;
  int k;
  for (k = 0; k < N_INPUTS; ++k) now->u[k] += now->slope[k] * (s->t - now->t);
  now->t = s->t;
  memcpy(now->x, s->x, sizeof now->x);
  memcpy(now->mode, s->modes, N_LAWS * sizeof(int));
  model->fresh = 0;
}

/* Rates and outputs at the point. */
static int refreshed(Model *model)
{
  LoopWorkspace *s;
  int i;
  if (model->fresh) return 1;
  s = loaded(model);
  if (evaluate_point(s) != 0)
    return failed(model, "accelerations are singular: constraints are inconsistent, or a gear is self-locking");
  for (i = 0; i < N_STATES; ++i)
    if (!(fabs(s->rates_found[i]) < HUGE_VAL))
      return failed(model, "the rates are not finite: check the inputs and the states");
  memcpy(model->rates, s->rates_found, sizeof model->rates);
  model_observe(s->x_at, s->t_at, s->u, s->p, s->chosen, s->a, s->felt, model->seen);
  model->fresh = 1;
  return 1;
}

/* Directional derivatives of rates and outputs at the point, along the direction in the workspace. */
static int derived(Model *model)
{
  const LoopWorkspace *s = loaded(model);
  if (differentiate_point(&model->loop) != 0) return failed(model, "the directional derivative is singular");
  model_observe_along(s->x_at, s->t_at, s->u, s->p, s->chosen, s->a, s->felt, s->x_along, s->u_along, s->p_along,
                      s->a_along, s->felt_along, model->seen_along);
  return 1;
}

/* Change modes until all guards are satisfied; impacts and new constraints change the speeds. */
static int settled(Model *model)
{
  if (find_consistent_modes(loaded(model)) != MODES_CONSISTENT)
    return failed(model, "no consistent set of contact and friction modes was found");
  store_point(model);
  return 1;
}

/* The initial modes of laws. */
static int begun(Model *model)
{
#if N_LAWS > 0
  LoopWorkspace *s = loaded(model);
  int k;
  if (evaluate_inputs(s, s->t) != 0) return 0;
  memcpy(s->x_at, s->x, (N_STATES - 2) * sizeof(double));
  s->t_at[0] = s->t;
  run_initial(s);
  for (k = 0; k < N_LAWS; ++k) {
    if (s->initial_modes[k] < 0.0) return failed(model, "a law cannot start in this state: a contact is inside its surface");
    model->now.mode[k] = (int)s->initial_modes[k];
  }
#endif
  model->initial = 0;
  return settled(model);
}

/* Event indicators: levels of the guards of the current modes, positive as long as the modes last. */
static int indicators(Model *model, double *levels)
{
  int g;
  if (N_GUARDS == 0) return 1;
  if (check_guards(loaded(model), model->now.t, model->now.x) != 0)
    return failed(model, "the guards of the modes cannot be computed");
  for (g = 0; g < N_GUARDS; ++g) levels[g] = model->loop.looks[g] + EVENT_LOCATION_LEVEL;
  return 1;
}

static const char *reason_of(int status)
{
  if (status == LOOP_PAUSED) return "a million steps did not complete the communication step: the model is too stiff";
  if (status == LOOP_DIVERGED) return "the speeds diverged";
  if (status == LOOP_NO_PROGRESS) return "the step became too small";
  if (status == LOOP_INCONSISTENT_MODES) return "no consistent set of contact and friction modes was found";
  if (status == LOOP_CHATTERING_EVENTS) return "chattering: events repeat without progress in time";
  return "accelerations or guards of the modes cannot be computed";
}

/* Co-Simulation: integrate to a time as gearwright.simulate does, through events. */
static int marched(Model *model, double until)
{
  LoopWorkspace *s = &model->loop;
  int status, steps = MOST_STEPS;
  if (!settled(model)) return 0;
  loaded(model);
  s->rtol = model->now.tolerance;
  s->atol = ABSOLUTE_RATIO * model->now.tolerance;
  s->h = model->now.step;
  s->bound = s->latest = until;
  s->span = until - s->t;
  s->implicit = model->now.implicit;
  s->pause = CHECK_EVERY;
  s->still = s->ignore_kinks = s->kink_count = 0;
  do {
    s->events = 0;
    status = advance(s);
    while (status == LOOP_EVENTS_FULL) {
      s->events = 0;
      status = after_event(s);
      if (status == LOOP_ARRIVED) status = LOOP_CHATTERING_BRANCHES; /* to be continued */
    }
    if (status == LOOP_PAUSED && (steps -= CHECK_EVERY) > 0) {
      s->pause = CHECK_EVERY;
      status = LOOP_CHATTERING_BRANCHES;
      if (s->fast > STIFF_STEP_DECAY) {
        s->implicit = 1;
        s->begun = 0;
      }
    }
  } while (status == LOOP_CHATTERING_BRANCHES);
  model->now.implicit = s->implicit;
  store_point(model);
  model->now.step = s->h;
  return status == LOOP_ARRIVED ? 1 : failed(model, reason_of(status));
}
