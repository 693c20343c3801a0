/* A machine with its laws at one instant: accelerations, constraint forces and drag flows of laws, in one solve.

   The same steps as gearwright.system.evaluation and force_balance. The machine-specific part is model.h. */

#include <math.h>
#include <string.h>

#define UNKNOWNS (N_SPEEDS + N_HOLDS + 1) /* an impact is added to all constraints */
#define COLUMNS (1 + N_DRAGS)
#define ROUNDS_OF_SOLVING 4
#define PATIENCE (MAX_CHANGES_PER_LAW * (N_LAWS + 1)) /* changes of modes before the search for consistent modes fails */

typedef struct {                 /* the state that a simulation may save and restore */
  double t;
  double x[N_STATES];            /* q, v, states of laws, supplied and dissipated work */
  double u[N_INPUTS + 1];
  double slope[N_INPUTS + 1];    /* rates of inputs within a communication step */
  double p[N_PARAMETERS + 1];
  double step;                   /* the last step of the integrator, 0 at the start */
  double tolerance;
  int mode[N_LAWS + 1];          /* index of the mode of each law among all modes */
} Point;

typedef struct {
  double chosen[N_CHOICES + 1];
  int held[N_HOLDS + 1], holds;        /* the holds of the current modes */
  int flowing[N_DRAGS + 1], drags;     /* the drags of the current modes */
  double acting[SIZE_ACT + 1];
  double matrix[UNKNOWNS * UNKNOWNS];
  double factors[UNKNOWNS * UNKNOWNS];
  int pivots[UNKNOWNS];
  double known[UNKNOWNS * COLUMNS];    /* column by column */
  double solution[UNKNOWNS * COLUMNS];
  double a[N_SPEEDS];
  double felt[N_HOLDS + 2 * N_DRAGS + 1];
} Instant;

typedef struct {                       /* modes that change one by one */
  int visited[PATIENCE + 2][N_LAWS + 1], visits;
  int changed[N_LAWS + 1], weights[N_LAWS + 1];
} Changes;

typedef struct {                       /* the arrays of the integration */
  double x_at[N_STATES], t_at[1], u[N_INPUTS + 1], moved[N_STATES], looks[N_GUARDS + 1];
  double piece_begin[1], piece_half[1], coefficients[2 * N_INPUTS + 1], held_keep[N_INPUTS + 1], held_add[N_INPUTS + 1];
  double x[N_STATES], K[16 * N_STATES], y[N_STATES], y_new[N_STATES], y_kept[2 * N_STATES], y_look[N_STATES];
  double F[7 * N_STATES], looked[EVENT_CHECKS_PER_STEP * N_GUARDS + 1];
  int look_solved[N_GUARDS + 1], piece_degree[1];
} LoopArrays;

typedef struct {
  Point now;
  Instant at;
  LoopWorkspace loop;
  LoopArrays arrays;
  Changes changes, blow;
  int known_modes[MAX_SEARCHED_MODES][N_LAWS + 1];
  double rates[N_STATES], seen[SIZE_OBSERVE + 1];
  int fresh;                           /* whether rates and outputs belong to the point */
  int initial;                         /* whether the initial modes are still unknown */
  const char *trouble;                 /* why the last call failed */
} Model;

/* Offsets of the results of model_act. */
enum {
  AT_RIGHT = N_SPEEDS * N_SPEEDS,
  AT_ROWS = AT_RIGHT + N_SPEEDS,
  AT_TARGETS = AT_ROWS + N_HOLDS * N_SPEEDS,
  AT_COMPLIANCES = AT_TARGETS + N_HOLDS,
  AT_SPEEDS = AT_COMPLIANCES + N_HOLDS,
  AT_FIRM = AT_SPEEDS + N_HOLDS,
  AT_PUSHES = AT_FIRM + N_HOLDS,
  AT_GAINS = AT_PUSHES + N_DRAGS * N_SPEEDS,
  AT_INFLOWS = AT_GAINS + N_DRAGS,
  AT_SENSES = AT_INFLOWS + N_DRAGS,
  AT_SHARES = AT_SENSES + N_DRAGS * N_SPEEDS
};

static double product(const double *a, const double *b, int n)
{
  double sum = 0.0;
  int i;
  for (i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

/* LU factors with partial pivoting; 0 if singular. */
static int factorised(double *m, int *pivots, int n)
{
  int i, j, k;
  for (k = 0; k < n; ++k) {
    int best = k;
    for (i = k + 1; i < n; ++i)
      if (fabs(m[i * n + k]) > fabs(m[best * n + k])) best = i;
    pivots[k] = best;
    if (!(fabs(m[best * n + k]) > 0.0)) return 0;
    if (best != k)
      for (j = 0; j < n; ++j) {
        const double kept = m[k * n + j];
        m[k * n + j] = m[best * n + j];
        m[best * n + j] = kept;
      }
    for (i = k + 1; i < n; ++i) {
      const double factor = m[i * n + k] /= m[k * n + k];
      if (factor != 0.0)
        for (j = k + 1; j < n; ++j) m[i * n + j] -= factor * m[k * n + j];
    }
  }
  return 1;
}

static void substituted(const double *m, const int *pivots, int n, double *b)
{
  int k;
  for (k = 0; k < n; ++k) {
    const double kept = b[pivots[k]];
    b[pivots[k]] = b[k];
    b[k] = kept;
  }
  for (k = 1; k < n; ++k) b[k] -= product(m + k * n, b, k);
  for (k = n - 1; k >= 0; --k) b[k] = (b[k] - product(m + k * n + k + 1, b + k + 1, n - k - 1)) / m[k * n + k];
}

/* Solve for all columns. Rows of several holds may repeat each other: of all multipliers that do, those with the least
   squares are taken, which is the limit of a small compliance, the same for all. It is put on, and taken back by going
   on with what is still missing. */
static int solved(Instant *at, int holds, int columns)
{
  const int n = N_SPEEDS + holds, rounds = holds > 1 ? ROUNDS_OF_SOLVING : 1;
  double size = 0.0, softness = HUGE_VAL, missing[UNKNOWNS];
  int i, j, c, round;
  memcpy(at->factors, at->matrix, (size_t)(n * n) * sizeof(double));
  for (i = 0; i < N_SPEEDS; ++i) size += at->matrix[i * n + i] / N_SPEEDS;
  for (j = 0; j < holds; ++j) {
    const double *row = at->matrix + (N_SPEEDS + j) * n;
    softness = fmin(softness, 1e-6 * product(row, row, N_SPEEDS) / size);
  }
  for (j = N_SPEEDS; holds > 1 && j < n; ++j) at->factors[j * n + j] += softness;
  if (!factorised(at->factors, at->pivots, n)) return 0;
  memset(at->solution, 0, (size_t)(n * columns) * sizeof(double));
  for (c = 0; c < columns; ++c) {
    double largest = 0.0, error = 0.0;
    for (i = 0; i < n; ++i) largest = fmax(largest, fabs(at->known[c * n + i]));
    for (round = 0; round <= rounds; ++round) {
      error = 0.0;
      for (i = 0; i < n; ++i) {
        missing[i] = at->known[c * n + i] - product(at->matrix + i * n, at->solution + c * n, n);
        error = fmax(error, fabs(missing[i]));
      }
      if (round == rounds) break;
      substituted(at->factors, at->pivots, n, missing);
      for (i = 0; i < n; ++i) at->solution[c * n + i] += missing[i];
    }
    if (!(error <= 1e-6 * (1.0 + largest))) return 0;
  }
  return 1;
}

/* Holds and drags of the current modes. */
static void choose(Model *model)
{
  Instant *at = &model->at;
  int k;
  for (k = 0; k < N_CHOICES; ++k) at->chosen[k] = model->now.mode[choice_law[k]] == k ? 1.0 : 0.0;
  at->holds = at->drags = 0;
  for (k = 0; k < N_HOLDS; ++k)
    if (at->chosen[hold_choice[k]] > 0.0) at->held[at->holds++] = k;
  for (k = 0; k < N_DRAGS; ++k)
    if (at->chosen[drag_choice[k]] > 0.0) at->flowing[at->drags++] = k;
}

static void inputs_at(const Model *model, double t, double *u)
{
  int k;
  for (k = 0; k < N_INPUTS; ++k) u[k] = model->now.u[k] + model->now.slope[k] * (t - model->now.t);
  u[N_INPUTS] = 0.0;
}

/* [M + P G S, -(W' + P G Q); W, C] [a; lambda] = [right + P G inflow; target], and a column per drag force. */
static void assembled(Instant *at)
{
  const double *acting = at->acting;
  const int n = N_SPEEDS + at->holds;
  int i, j, k;
  memset(at->known, 0, (size_t)(n * (1 + at->drags)) * sizeof(double));
  memset(at->matrix, 0, (size_t)(n * n) * sizeof(double));
  for (i = 0; i < N_SPEEDS; ++i) {
    memcpy(at->matrix + i * n, acting + i * N_SPEEDS, N_SPEEDS * sizeof(double));
    at->known[i] = acting[AT_RIGHT + i];
  }
  for (j = 0; j < at->holds; ++j) {
    const int hold = at->held[j];
    for (i = 0; i < N_SPEEDS; ++i) {
      at->matrix[(N_SPEEDS + j) * n + i] = acting[AT_ROWS + hold * N_SPEEDS + i];
      at->matrix[i * n + N_SPEEDS + j] = -acting[AT_ROWS + hold * N_SPEEDS + i];
    }
    at->matrix[(N_SPEEDS + j) * n + N_SPEEDS + j] = acting[AT_COMPLIANCES + hold];
    at->known[N_SPEEDS + j] = acting[AT_TARGETS + hold];
  }
  for (k = 0; k < at->drags; ++k) {
    const int drag = at->flowing[k];
    for (i = 0; i < N_SPEEDS; ++i) {
      const double push = acting[AT_PUSHES + drag * N_SPEEDS + i], pull = push * acting[AT_GAINS + drag];
      for (j = 0; j < N_SPEEDS; ++j) at->matrix[i * n + j] += pull * acting[AT_SENSES + drag * N_SPEEDS + j];
      for (j = 0; j < at->holds; ++j)
        at->matrix[i * n + N_SPEEDS + j] -= pull * acting[AT_SHARES + drag * N_HOLDS + at->held[j]];
      at->known[i] += pull * acting[AT_INFLOWS + drag];
      at->known[(1 + k) * n + i] = push;
    }
  }
}

/* Flow through a drag in one column of the solution. */
static double flow_of(const Instant *at, const double *acting, int drag, const double *column)
{
  double flow = -product(acting + AT_SENSES + drag * N_SPEEDS, column, N_SPEEDS);
  int j;
  for (j = 0; j < at->holds; ++j) flow += acting[AT_SHARES + drag * N_HOLDS + at->held[j]] * column[N_SPEEDS + j];
  return flow;
}

/* Accelerations, multipliers, flows and answers at a time and state; 0 if singular. */
static int balanced(Model *model, double t, const double *x, const double *u)
{
  Instant *at = &model->at;
  int j, k;
  model_act(x, &t, u, model->now.p, at->chosen, at->acting);
  assembled(at);
  if (!solved(at, at->holds, 1 + at->drags)) {
    model->trouble = "accelerations are singular: constraints are inconsistent, or a gear is self-locking";
    return 0;
  }
  memcpy(at->a, at->solution, N_SPEEDS * sizeof(double));
  memset(at->felt, 0, sizeof at->felt);
  for (j = 0; j < at->holds; ++j) at->felt[at->held[j]] = at->solution[N_SPEEDS + j];
  for (k = 0; k < at->drags; ++k) {
    const int drag = at->flowing[k], n = N_SPEEDS + at->holds;
    at->felt[N_HOLDS + drag] = at->acting[AT_INFLOWS + drag] + flow_of(at, at->acting, drag, at->solution);
    at->felt[N_HOLDS + N_DRAGS + drag] = flow_of(at, at->acting, drag, at->solution + (1 + k) * n);
  }
  return 1;
}

/* The rates of all states. */
static int rates_at(Model *model, double t, const double *x, double *rates)
{
  double u[N_INPUTS + 1];
  int i;
  inputs_at(model, t, u);
  if (!balanced(model, t, x, u)) return 0;
  model_follow(x, &t, u, model->now.p, model->at.chosen, model->at.a, model->at.felt, rates);
  for (i = 0; i < N_STATES; ++i)
    if (!(fabs(rates[i]) < HUGE_VAL)) {
      model->trouble = "the rates are not finite: check the inputs and the states";
      return 0;
    }
  return 1;
}

/* Rates and outputs at the point. */
static int refreshed(Model *model)
{
  Point *now = &model->now;
  if (model->fresh) return 1;
  if (!rates_at(model, now->t, now->x, model->rates)) return 0;
  model_observe(now->x, &now->t, now->u, now->p, model->at.chosen, model->at.a, model->at.felt, model->seen);
  model->fresh = 1;
  return 1;
}
