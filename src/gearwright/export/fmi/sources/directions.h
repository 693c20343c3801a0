/* Directional derivatives of rates and outputs: the solve is differentiated as K dz = dknown - dK z. */

typedef struct {
  double x[N_STATES], u[N_INPUTS + 1], p[N_PARAMETERS + 1];
} Direction;

/* Contribution of the change of the matrix to the right-hand side, in one column. */
static void changed_balance(const Instant *at, const double *moved, const double *column, double *right)
{
  const double *acting = at->acting;
  int i, j, k;
  for (i = 0; i < N_SPEEDS; ++i) {
    right[i] = -product(moved + i * N_SPEEDS, column, N_SPEEDS);
    for (j = 0; j < at->holds; ++j)
      right[i] += moved[AT_ROWS + at->held[j] * N_SPEEDS + i] * column[N_SPEEDS + j];
  }
  for (j = 0; j < at->holds; ++j)
    right[N_SPEEDS + j] = -product(moved + AT_ROWS + at->held[j] * N_SPEEDS, column, N_SPEEDS)
                          - moved[AT_COMPLIANCES + at->held[j]] * column[N_SPEEDS + j];
  for (k = 0; k < at->drags; ++k) {
    const int drag = at->flowing[k];
    const double flow = flow_of(at, acting, drag, column), change = flow_of(at, moved, drag, column);
    for (i = 0; i < N_SPEEDS; ++i) {
      const int place = AT_PUSHES + drag * N_SPEEDS + i;
      const double pull = moved[place] * acting[AT_GAINS + drag] + acting[place] * moved[AT_GAINS + drag];
      right[i] += pull * flow + acting[place] * acting[AT_GAINS + drag] * change;
    }
  }
}

/* Contribution of the change of forces and targets in the first column, of drag forces in the others. */
static void changed_known(const Instant *at, const double *moved, int column, double *right)
{
  const double *acting = at->acting;
  int i, j, k;
  if (column > 0) {
    const int drag = at->flowing[column - 1];
    for (i = 0; i < N_SPEEDS; ++i) right[i] += moved[AT_PUSHES + drag * N_SPEEDS + i];
    return;
  }
  for (i = 0; i < N_SPEEDS; ++i) right[i] += moved[AT_RIGHT + i];
  for (j = 0; j < at->holds; ++j) right[N_SPEEDS + j] += moved[AT_TARGETS + at->held[j]];
  for (k = 0; k < at->drags; ++k) {
    const int drag = at->flowing[k];
    for (i = 0; i < N_SPEEDS; ++i) {
      const int place = AT_PUSHES + drag * N_SPEEDS + i;
      const double pull = moved[place] * acting[AT_GAINS + drag] + acting[place] * moved[AT_GAINS + drag];
      right[i] += pull * acting[AT_INFLOWS + drag]
                  + acting[place] * acting[AT_GAINS + drag] * moved[AT_INFLOWS + drag];
    }
  }
}

/* Directional derivatives of rates and outputs at the point with respect to states, inputs and parameters. */
static int derived(Model *model, const Direction *along, double *rates, double *seen)
{
  Instant *at = &model->at;
  const Point *now = &model->now;
  const int n = N_SPEEDS + at->holds;
  double moved[SIZE_ACT + 1], kept[UNKNOWNS * COLUMNS], a[N_SPEEDS], felt[N_HOLDS + 2 * N_DRAGS + 1];
  int c, j, k;
  if (!refreshed(model)) return 0;
  model_act_along(now->x, &now->t, now->u, now->p, at->chosen, along->x, along->u, along->p, moved);
  memcpy(kept, at->solution, (size_t)(n * (1 + at->drags)) * sizeof(double));
  for (c = 0; c <= at->drags; ++c) {
    changed_balance(at, moved, kept + c * n, at->known + c * n);
    changed_known(at, moved, c, at->known + c * n);
  }
  model->fresh = 0; /* the solution is now that of the direction */
  if (!solved(at, at->holds, 1 + at->drags)) {
    model->trouble = "the directional derivative is singular";
    return 0;
  }
  memcpy(a, at->solution, N_SPEEDS * sizeof(double));
  memset(felt, 0, sizeof felt);
  for (j = 0; j < at->holds; ++j) felt[at->held[j]] = at->solution[N_SPEEDS + j];
  for (k = 0; k < at->drags; ++k) {
    const int drag = at->flowing[k];
    const double *answer = at->solution + (1 + k) * n;
    felt[N_HOLDS + drag] = moved[AT_INFLOWS + drag] + flow_of(at, moved, drag, kept)
                           + flow_of(at, at->acting, drag, at->solution);
    felt[N_HOLDS + N_DRAGS + drag] =
        flow_of(at, moved, drag, kept + (1 + k) * n) + flow_of(at, at->acting, drag, answer);
  }
  model_follow_along(now->x, &now->t, now->u, now->p, at->chosen, at->a, at->felt, along->x, along->u, along->p, a,
                     felt, rates);
  model_observe_along(now->x, &now->t, now->u, now->p, at->chosen, at->a, at->felt, along->x, along->u, along->p, a,
                      felt, seen);
  return 1;
}
