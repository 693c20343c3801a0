/* Co-Simulation: the integration of engine.h, the same as that of gearwright.simulate, through events.

   Its rates and guards are those of instant.h and settle.h, its inputs lines in time. */

#define LONGEST_STEP 0.02    /* [s] with guards, so that no event is missed */
#define MOST_STEPS 1000000   /* in one communication step */
#define ABSOLUTE_RATIO 0.01  /* absolute tolerance relative to the relative one */

static int run_kernel(Code code, Table table) { return code(table); }

static int invoke_callback(Code code, double t) /* inputs are lines: nothing is called back */
{
  (void)code, (void)t;
  return 1;
}

/* The rates for the state in the workspace. */
static int loop_rates(void *owner)
{
  Model *model = (Model *)owner;
  const LoopWorkspace *s = &model->loop;
  if (!balanced(model, s->t_at[0], s->x_at, s->u)) return 1;
  model_follow(s->x_at, s->t_at, s->u, model->now.p, model->at.chosen, model->at.a, model->at.felt, s->moved);
  return 0;
}

/* The guards for the state in the workspace. */
static int loop_guards(void *owner)
{
  Model *model = (Model *)owner;
  const LoopWorkspace *s = &model->loop;
  int g;
  if (!indicators(model, s->t_at[0], s->x_at, s->looks)) return 1;
  for (g = 0; g < N_GUARDS; ++g) s->looks[g] -= EVENT_LOCATION_LEVEL;
  return 0;
}

/* Connect the workspace with its arrays and functions. */
static void connect_loop(Model *model)
{
  LoopWorkspace *s = &model->loop;
  LoopArrays *arrays = &model->arrays;
  int k;
  memset(s, 0, sizeof *s);
  s->nx = N_STATES;
  s->nm = N_STATES - 2;
  s->nq = N_COORDINATES;
  s->n = N_SPEEDS;
  s->nu = N_INPUTS;
  s->guards = N_GUARDS;
  s->longest = N_GUARDS > 0 ? LONGEST_STEP : 1e300;
  s->follow = loop_rates;
  s->look = loop_guards;
  s->follow_table = s->look_table = model;
  s->x_at = arrays->x_at;
  s->t_at = arrays->t_at;
  s->u = arrays->u;
  s->moved = arrays->moved;
  s->looks = arrays->looks;
  s->look_solved = arrays->look_solved;
  s->pieces = 1;
  s->room = 2;
  s->piece_begin = s->piece_middle = arrays->piece_begin;
  s->piece_half = arrays->piece_half;
  s->piece_degree = arrays->piece_degree;
  s->coefficients = arrays->coefficients;
  s->held_keep = arrays->held_keep;
  s->held_add = arrays->held_add;
  s->x = arrays->x;
  s->K = arrays->K;
  s->y = arrays->y;
  s->y_new = arrays->y_new;
  s->y_kept = arrays->y_kept;
  s->y_look = arrays->y_look;
  s->F = arrays->F;
  s->looked = arrays->looked;
  arrays->piece_half[0] = 1.0;
  arrays->piece_degree[0] = 1;
  for (k = 0; k < N_INPUTS; ++k) arrays->held_keep[k] = 1.0;
}

/* Continue from the point. */
static void load_point(Model *model)
{
  LoopWorkspace *s = &model->loop;
  memcpy(s->x, model->now.x, sizeof model->now.x);
  memcpy(s->coefficients, model->now.u, N_INPUTS * sizeof(double));
  memcpy(s->coefficients + N_INPUTS, model->now.slope, N_INPUTS * sizeof(double));
  s->t = s->piece_middle[0] = model->now.t;
  s->begun = 0;
}

static void store_point(Model *model)
{
  const LoopWorkspace *s = &model->loop;
  int k;
  for (k = 0; k < N_INPUTS; ++k) model->now.u[k] += model->now.slope[k] * (s->t - model->now.t);
  model->now.t = s->t;
  model->now.step = s->h;
  memcpy(model->now.x, s->x, sizeof model->now.x);
  model->fresh = 0;
}

static const char *reason_of(int status)
{
  if (status == LOOP_PAUSED) return "a million steps did not complete the communication step: the model is too stiff";
  if (status == LOOP_DIVERGED) return "the speeds diverged";
  if (status == LOOP_NO_PROGRESS) return "the step became too small";
  return "the guards of the modes cannot be computed";
}

/* Integrate to a time; events change modes. */
static int marched(Model *model, double until)
{
  LoopWorkspace *s = &model->loop;
  if (!settled(model)) return 0;
  connect_loop(model);
  s->rtol = model->now.tolerance;
  s->atol = ABSOLUTE_RATIO * model->now.tolerance;
  s->h = model->now.step;
  s->bound = s->latest = until;
  s->pause = MOST_STEPS;
  for (;;) {
    int status;
    load_point(model);
    status = advance_to_event(s);
    store_point(model);
    if (status == LOOP_ARRIVED) return 1;
    if (status != LOOP_AT_EVENT) {
      if (model->trouble == NULL || status != LOOP_LEFT_TO_PYTHON) model->trouble = reason_of(status);
      return 0;
    }
    if (!settled(model)) return 0;
    if (s->still > MAX_EVENTS_WITHOUT_PROGRESS) {
      model->trouble = "chattering: events repeat without progress in time";
      return 0;
    }
  }
}
