/* Consistent modes, and the impacts that come with them.

   The same steps as gearwright.system.modes (settling, changes, impacts): obey the most violated guard until none is
   violated; if that cycles, try all modes that are successors by a guard at or below zero. */

enum { AT_RATES = N_GUARDS, AT_WHEN = 2 * N_GUARDS, AT_RESTITUTIONS = 3 * N_GUARDS,
       AT_IMPACT_SPEEDS = AT_RESTITUTIONS + N_IMPACTS, AT_IMPACT_ROWS = AT_IMPACT_SPEEDS + N_IMPACTS };

typedef int Modes[N_LAWS + 1];

typedef struct {                   /* data of a guard for the choice of modes */
  int law, to;
  double level;
} Candidate;

static int same_modes(const int *a, const int *b)
{
  return memcmp(a, b, N_LAWS * sizeof(int)) == 0;
}

static void begin_changes(Changes *changes, const int *mode)
{
  memset(changes->changed, 0, sizeof changes->changed);
  memset(changes->weights, 0, sizeof changes->weights);
  memcpy(changes->visited[0], mode, N_LAWS * sizeof(int));
  changes->visits = 1;
}

/* Take the most violated candidate of the laws with the least weight; -1 if none is violated. */
static int most_violated(const Candidate *found, int count, const int *weights)
{
  int best = -1, k;
  for (k = 0; k < count; ++k) {
    if (!(found[k].level <= -GUARD_VIOLATION_LEVEL)) continue;
    if (best < 0 || weights[found[k].law] < weights[found[best].law]
        || (weights[found[k].law] == weights[found[best].law] && found[k].level < found[best].level))
      best = k;
  }
  return best;
}

/* Change one mode; laws with fewer changes come first once modes repeat. */
static void obey(Changes *changes, const Candidate *guard, int *mode)
{
  int k, known = 0;
  ++changes->changed[guard->law];
  mode[guard->law] = guard->to;
  for (k = 0; k < changes->visits && !known; ++k) known = same_modes(changes->visited[k], mode);
  if (known) memcpy(changes->weights, changes->changed, sizeof changes->weights);
  else memset(changes->weights, 0, sizeof changes->weights);
  if (!known && changes->visits < PATIENCE + 2) memcpy(changes->visited[changes->visits++], mode, N_LAWS * sizeof(int));
}

/* The relevant guards of the current modes: levels, or their rates where levels are zero. */
static int guards_at(Model *model, double t, const double *x, double *all)
{
  double u[N_INPUTS + 1];
  inputs_at(model, t, u);
  if (!balanced(model, t, x, u)) return 0;
  model_guards(x, &t, u, model->now.p, model->at.chosen, model->at.a, model->at.felt, all);
  return 1;
}

static int candidates(const Model *model, const double *all, Candidate *found, int *guards)
{
  int g, count = 0;
  for (g = 0; g < N_GUARDS; ++g) {
    if (!(model->at.chosen[guard_choice[g]] > 0.0) || !(all[AT_WHEN + g] > 0.0)) continue;
    found[count].law = choice_law[guard_choice[g]];
    found[count].to = guard_to[g];
    found[count].level = all[g];
    if (guard_decided[g] && fabs(all[g]) <= 2 * EVENT_LOCATION_LEVEL) found[count].level = all[AT_RATES + g] < 0.0 ? -GUARD_VIOLATION_LEVEL : 0.0;
    guards[count++] = g;
  }
  return count;
}

/* dv of (M + drags) dv = W' P with W dv = jump, for rows W; the matrix is that of `at` with its drags' gains. */
static int moved(Instant *at, const double *gains, const double *rows, const double *jump, int count, double *dv)
{
  const int n = N_SPEEDS + count;
  int i, j, k;
  memset(at->matrix, 0, (size_t)(n * n) * sizeof(double));
  memset(at->known, 0, (size_t)n * sizeof(double));
  for (i = 0; i < N_SPEEDS; ++i) {
    memcpy(at->matrix + i * n, at->acting + i * N_SPEEDS, N_SPEEDS * sizeof(double));
    for (j = 0; j < count; ++j) {
      at->matrix[i * n + N_SPEEDS + j] = -rows[j * N_SPEEDS + i];
      at->matrix[(N_SPEEDS + j) * n + i] = rows[j * N_SPEEDS + i];
    }
    for (k = 0; gains != NULL && k < N_DRAGS; ++k)
      for (j = 0; j < N_SPEEDS && gains[k] != 0.0; ++j)
        at->matrix[i * n + j] += at->acting[AT_PUSHES + k * N_SPEEDS + i] * gains[k]
                                 * at->acting[AT_SENSES + k * N_SPEEDS + j];
  }
  for (j = 0; j < count; ++j) at->known[N_SPEEDS + j] = jump[j];
  if (!solved(at, count, 1)) return 0;
  memcpy(dv, at->solution, N_SPEEDS * sizeof(double));
  return 1;
}

static double kinetic(const double *mass, const double *v)
{
  double sum = 0.0;
  int i;
  for (i = 0; i < N_SPEEDS; ++i) sum += 0.5 * v[i] * product(mass + i * N_SPEEDS, v, N_SPEEDS);
  return sum;
}

/* Modes of gears by the direction of the speeds v; all other laws unchanged. */
static void modes_of_a_blow(Model *model, const double *x)
{
  double starting[N_LAWS + 1], u[N_INPUTS + 1];
  int k, holding, dragging, j;
  inputs_at(model, model->now.t, u);
  model_start(x, &model->now.t, u, model->now.p, starting);
  for (k = 0; k < N_LAWS; ++k) {
    holding = dragging = 0;
    for (j = 0; j < N_HOLDS; ++j) holding |= hold_choice[j] == model->now.mode[k];
    for (j = 0; j < N_DRAGS; ++j) dragging |= drag_choice[j] == model->now.mode[k];
    if (dragging && !holding) model->now.mode[k] = law_first[k] + (int)starting[k];
  }
  choose(model);
}

/* Loss of each gear: none at rest or self-locked. 0 if no gear has a loss. */
static int gains_of_a_blow(const Model *model, const double *v, double *gains)
{
  const double *acting = model->at.acting;
  int any = 0, k;
  memset(gains, 0, N_DRAGS * sizeof(double));
  for (k = 0; k < model->at.drags; ++k) {
    const int drag = model->at.flowing[k];
    const double gain = acting[AT_GAINS + drag];
    if (fabs(product(acting + AT_PUSHES + drag * N_SPEEDS, v, N_SPEEDS)) > BREAKAWAY_SPEED && gain > -1.0) gains[drag] = gain;
    any |= gains[drag] != 0.0;
  }
  return any;
}

/* The change of speeds with gears on the loaded flanks; `sense` are the speeds that set the directions. */
static int blow_through_gears(Model *model, const double *sense, const double *rows, const double *jump, int count,
                              double *dv)
{
  double x[N_STATES], u[N_INPUTS + 1], gains[N_DRAGS + 1], levels[2 * N_BLOWS + 1];
  double a[N_SPEEDS], felt[N_HOLDS + 2 * N_DRAGS + 1];
  Candidate found[N_BLOWS + 1];
  Modes before;
  Changes *changes = &model->blow;
  Instant *at = &model->at;
  int round, i, k, done = 0, fine = 1;
  memcpy(before, model->now.mode, sizeof before);
  memcpy(x, model->now.x, sizeof x);
  memcpy(x + N_COORDINATES, sense, N_SPEEDS * sizeof(double));
  inputs_at(model, model->now.t, u);
  modes_of_a_blow(model, x);
  begin_changes(changes, model->now.mode);
  for (round = 0; round < MAX_FLANK_CHANGES && fine && !done; ++round) {
    int total = 0, worst;
    model_act(x, &model->now.t, u, model->now.p, at->chosen, at->acting);
    if (!gains_of_a_blow(model, sense, gains)) {
      fine = moved(at, NULL, rows, jump, count, dv);
      break;
    }
    fine = moved(at, gains, rows, jump, count, dv);
    for (i = 0; i < N_SPEEDS; ++i) a[i] = dv[i] / IMPACT_DURATION;
    memset(felt, 0, sizeof felt);
    for (k = 0; k < N_DRAGS; ++k)
      felt[N_HOLDS + k] = -product(at->acting + AT_SENSES + k * N_SPEEDS, dv, N_SPEEDS) / IMPACT_DURATION;
    model_blow(x, &model->now.t, u, model->now.p, at->chosen, a, felt, levels);
    for (k = 0; k < N_BLOWS; ++k) {
      if (!(at->chosen[blow_choice[k]] > 0.0) || !(levels[N_BLOWS + k] > 0.0)) continue;
      found[total].law = choice_law[blow_choice[k]];
      found[total].to = blow_to[k];
      found[total++].level = levels[k];
    }
    worst = most_violated(found, total, changes->weights);
    done = worst < 0;
    if (!done) {
      obey(changes, &found[worst], model->now.mode);
      choose(model);
    }
  }
  memcpy(model->now.mode, before, sizeof before);
  choose(model);
  return fine;
}

/* Change of speeds by an impact along rows; its energy loss is recorded. */
static int struck_along(Model *model, const double *sense, const double *rows, const double *jump, int count)
{
  double dv[N_SPEEDS], *v = model->now.x + N_COORDINATES, before;
  int i;
  if (!blow_through_gears(model, sense, rows, jump, count, dv)) {
    model->trouble = "the impact equations are singular";
    return 0;
  }
  before = kinetic(model->at.acting, v);
  for (i = 0; i < N_SPEEDS; ++i) v[i] += dv[i];
  model->now.x[N_STATES - 1] += before - kinetic(model->at.acting, v);
  return 1;
}

/* The constrained lines of the current modes, and the errors of their speeds. */
static int held_rows(const Model *model, const double *v, int firm_only, double *rows, double *jump)
{
  const double *acting = model->at.acting;
  int count = 0, j;
  for (j = 0; j < model->at.holds; ++j) {
    const int hold = model->at.held[j];
    if (!hold_keeps[hold] || (firm_only && !(acting[AT_FIRM + hold] > 0.0))) continue;
    memcpy(rows + count * N_SPEEDS, acting + AT_ROWS + hold * N_SPEEDS, N_SPEEDS * sizeof(double));
    jump[count] = acting[AT_SPEEDS + hold] - product(rows + count * N_SPEEDS, v, N_SPEEDS);
    ++count;
  }
  return count;
}

/* Give held lines the speeds of their holds, as after a plastic impact; `changed`: whether any differed. */
static int kept(Model *model, int *changed)
{
  double rows[(N_HOLDS + 1) * N_SPEEDS], jump[N_HOLDS + 1], sense[N_SPEEDS], largest = 0.0, fastest = 0.0;
  const double *v = model->now.x + N_COORDINATES;
  const int count = held_rows(model, v, 0, rows, jump);
  int i;
  for (i = 0; i < count; ++i) largest = fmax(largest, fabs(jump[i]));
  for (i = 0; i < N_SPEEDS; ++i) fastest = fmax(fastest, fabs(v[i]));
  *changed = count > 0 && largest > HELD_SPEED_ROUNDING * (1.0 + fastest);
  memcpy(sense, v, sizeof sense);
  return !*changed || struck_along(model, sense, rows, jump, count);
}

/* An impact along a line: compression, then restitution, with other constraints satisfied. */
static int struck(Model *model, const double *row, double own_speed, double restitution)
{
  double rows[(N_HOLDS + 1) * N_SPEEDS], jump[N_HOLDS + 1], before[N_SPEEDS], leaving[N_SPEEDS], arriving;
  double *v = model->now.x + N_COORDINATES;
  int count, i;
  memcpy(before, v, sizeof before);
  memcpy(rows, row, N_SPEEDS * sizeof(double));
  arriving = product(row, v, N_SPEEDS) + own_speed;
  jump[0] = -arriving;
  count = 1 + held_rows(model, v, 1, rows + N_SPEEDS, jump + 1);
  if (!struck_along(model, before, rows, jump, count)) return 0;
  if (restitution == 0.0) return 1;
  for (i = 0; i < N_SPEEDS; ++i) leaving[i] = v[i] + restitution * (v[i] - before[i]);
  memset(jump, 0, sizeof jump);
  jump[0] = -restitution * arriving;
  return struck_along(model, leaving, rows, jump, count);
}

/* Search for modes among all successors by guards near zero. */
static int searched(Model *model)
{
  static const int no_weights[N_LAWS + 1] = {0};
  int (*known)[N_LAWS + 1] = model->known_modes, count = 1, next = 0;
  double all[SIZE_GUARDS + N_SPEEDS], x[N_STATES];
  Candidate found[N_GUARDS + 1];
  int guards[N_GUARDS + 1], total, k, j, changed, seen;
  memcpy(known[0], model->now.mode, N_LAWS * sizeof(int));
  memcpy(x, model->now.x, sizeof x);
  while (next < count) {
    memcpy(model->now.mode, known[next++], N_LAWS * sizeof(int));
    memcpy(model->now.x, x, sizeof x);
    choose(model);
    if (!guards_at(model, model->now.t, x, all)) continue;
    total = candidates(model, all, found, guards);
    if (most_violated(found, total, no_weights) < 0 && kept(model, &changed)) {
      double after[SIZE_GUARDS + N_SPEEDS];
      Candidate again[N_GUARDS + 1];
      int places[N_GUARDS + 1];
      if (guards_at(model, model->now.t, model->now.x, after)
          && most_violated(again, candidates(model, after, again, places), no_weights) < 0)
        return 1;
    }
    for (k = 0; k < total && count < MAX_SEARCHED_MODES; ++k) {
      Modes other;
      if (guard_impact[guards[k]] >= 0 || !(all[guards[k]] < NEAR_GUARD_LEVEL)) continue;
      memcpy(other, known[next - 1], N_LAWS * sizeof(int));
      other[found[k].law] = found[k].to;
      for (seen = 0, j = 0; j < count && !seen; ++j) seen = same_modes(known[j], other);
      if (!seen) memcpy(known[count++], other, N_LAWS * sizeof(int));
    }
  }
  model->trouble = "no consistent set of contact and friction modes was found";
  return 0;
}

/* Apply guards until none is violated; impacts and new constraints change the speeds. 0 on failure. */
static int settled(Model *model)
{
  double all[SIZE_GUARDS + N_SPEEDS] = {0.0};
  Candidate found[N_GUARDS + 1];
  int guards[N_GUARDS + 1], round, worst, changed;
  Changes *changes = &model->changes;
  model->fresh = 0;
  begin_changes(changes, model->now.mode);
  for (round = 0; round < PATIENCE; ++round) {
    choose(model);
    if (!guards_at(model, model->now.t, model->now.x, all)) return 0;
    worst = most_violated(found, candidates(model, all, found, guards), changes->weights);
    if (worst < 0) {
      if (!kept(model, &changed)) return 0;
      if (!changed) return 1;
      if (!guards_at(model, model->now.t, model->now.x, all)) return 0;
      worst = most_violated(found, candidates(model, all, found, guards), changes->weights);
      if (worst < 0) return 1;
    }
    if (guard_impact[guards[worst]] >= 0) {
      const int impact = guard_impact[guards[worst]];
      const double *row = all + AT_IMPACT_ROWS + impact * N_SPEEDS;
      if (!struck(model, row, all[AT_IMPACT_SPEEDS + impact], all[AT_RESTITUTIONS + impact])) return 0;
    }
    obey(changes, &found[worst], model->now.mode);
  }
  return searched(model);
}

/* The initial modes of laws. */
static int begun(Model *model)
{
  double first[N_LAWS + 1];
  int k;
  model_start(model->now.x, &model->now.t, model->now.u, model->now.p, first);
  for (k = 0; k < N_LAWS; ++k) model->now.mode[k] = law_first[k] + (int)first[k];
  model->initial = 0;
  return settled(model);
}

/* Event indicators: levels of the guards of the current modes, positive as long as the mode lasts. */
static int indicators(Model *model, double t, const double *x, double *levels)
{
  double all[SIZE_GUARDS + N_SPEEDS];
  int g;
  if (N_GUARDS == 0) return 1;
  if (!guards_at(model, t, x, all)) return 0;
  for (g = 0; g < N_GUARDS; ++g) levels[g] = model->at.chosen[guard_choice[g]] > 0.0 ? all[g] + EVENT_LOCATION_LEVEL : 1.0;
  return 1;
}
