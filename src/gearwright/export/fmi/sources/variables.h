/* The variables of the FMU by their value references: time, states, rates, inputs, parameters, accelerations,
   outputs, and event indicators, in sequence. */

#include <stdlib.h>

#include "engine.h"

#include "model.h"

#include "machine.h"

enum {
  FIRST_STATE = 1,
  FIRST_RATE = FIRST_STATE + N_STATES,
  FIRST_INPUT = FIRST_RATE + N_STATES,
  FIRST_PARAMETER = FIRST_INPUT + N_INPUTS,
  FIRST_ACCELERATION = FIRST_PARAMETER + N_PARAMETERS,
  FIRST_SEEN = FIRST_ACCELERATION + N_SPEEDS,
  FIRST_INDICATOR = FIRST_SEEN + N_OUTPUTS,
  PAST_ALL = FIRST_INDICATOR + N_GUARDS
};

#define DEFAULT_TOLERANCE 1e-9

static void reset(Model *model)
{
  memset(model, 0, sizeof *model);
  memcpy(model->now.x, start_x, N_STATES * sizeof(double));
  memcpy(model->now.u, start_u, N_INPUTS * sizeof(double));
  memcpy(model->now.p, start_p, N_PARAMETERS * sizeof(double));
  model->now.tolerance = DEFAULT_TOLERANCE;
  model->initial = 1;
  connect_machine(model);
}

/* Rates and outputs; before the start those of the initial modes, with the states unchanged. */
static int known(Model *model)
{
  double x[N_STATES];
  int fine;
  if (!model->initial || model->fresh) return refreshed(model);
  memcpy(x, model->now.x, sizeof x);
  fine = begun(model) && refreshed(model);
  memcpy(model->now.x, x, sizeof x);
  model->initial = 1;
  return fine;
}

/* Steps use a tenth of the requested tolerance, at least 1e-13. */
static void set_tolerance(Model *model, double tolerance)
{
  model->now.tolerance = fmax(0.1 * (tolerance > 0.0 ? tolerance : DEFAULT_TOLERANCE), 1e-13);
}

static int get_variable(Model *model, unsigned reference, double *value)
{
  const int r = (int)reference;
  if (reference >= (unsigned)PAST_ALL) {
    model->trouble = "no variable has this value reference";
    return 0;
  }
  if (r >= FIRST_INDICATOR) {
    double levels[N_GUARDS + 1];
    if (!indicators(model, levels)) return 0;
    *value = levels[r - FIRST_INDICATOR];
    return 1;
  }
  if (((r >= FIRST_RATE && r < FIRST_INPUT) || r >= FIRST_ACCELERATION) && !known(model)) return 0;
  if (r < FIRST_STATE) *value = model->now.t;
  else if (r < FIRST_RATE) *value = model->now.x[r - FIRST_STATE];
  else if (r < FIRST_INPUT) *value = model->rates[r - FIRST_RATE];
  else if (r < FIRST_PARAMETER) *value = model->now.u[r - FIRST_INPUT];
  else if (r < FIRST_ACCELERATION) *value = model->now.p[r - FIRST_PARAMETER];
  else if (r < FIRST_SEEN) *value = model->rates[N_COORDINATES + r - FIRST_ACCELERATION];
  else *value = model->seen[r - FIRST_SEEN];
  return 1;
}

static int set_variable(Model *model, unsigned reference, double value)
{
  const int r = (int)reference;
  if (!(fabs(value) < HUGE_VAL)) model->trouble = "a variable must be set to a finite number";
  else if (reference >= FIRST_STATE && r < FIRST_RATE) model->now.x[r - FIRST_STATE] = value;
  else if (r >= FIRST_INPUT && r < FIRST_PARAMETER) model->now.u[r - FIRST_INPUT] = value;
  else if (r >= FIRST_PARAMETER && r < FIRST_ACCELERATION) model->now.p[r - FIRST_PARAMETER] = value;
  else model->trouble = "only states, inputs and parameters can be set";
  model->fresh = 0;
  return model->trouble == NULL;
}

/* Sensitivities of unknowns for a seed of knowns. */
static int directional(Model *model, const unsigned *unknowns, size_t n_unknowns, const unsigned *knowns,
                       size_t n_knowns, const double *seed, double *result)
{
  const LoopWorkspace *s = &model->loop;
  size_t k;
  memset(s->x_along, 0, N_STATES * sizeof(double));
  memset(s->u_along, 0, N_INPUTS * sizeof(double));
  memset(s->p_along, 0, N_PARAMETERS * sizeof(double));
  for (k = 0; k < n_knowns; ++k) {
    const int r = (int)knowns[k];
    if (r >= FIRST_STATE && r < FIRST_RATE) s->x_along[r - FIRST_STATE] += seed[k];
    else if (r >= FIRST_INPUT && r < FIRST_PARAMETER) s->u_along[r - FIRST_INPUT] += seed[k];
    else if (r >= FIRST_PARAMETER && r < FIRST_ACCELERATION) s->p_along[r - FIRST_PARAMETER] += seed[k];
    else {
      model->trouble = "directional derivatives are with respect to states, inputs and parameters";
      return 0;
    }
  }
  if (!derived(model)) return 0;
  for (k = 0; k < n_unknowns; ++k) {
    const int r = (int)unknowns[k];
    if (r >= FIRST_STATE && r < FIRST_RATE) result[k] = s->x_along[r - FIRST_STATE];
    else if (r >= FIRST_RATE && r < FIRST_INPUT) result[k] = s->rates_along[r - FIRST_RATE];
    else if (r >= FIRST_ACCELERATION && r < FIRST_SEEN) result[k] = s->rates_along[N_COORDINATES + r - FIRST_ACCELERATION];
    else if (r >= FIRST_SEEN && r < FIRST_INDICATOR) result[k] = model->seen_along[r - FIRST_SEEN];
    else {
      model->trouble = "directional derivatives are those of states, rates and outputs";
      return 0;
    }
  }
  return 1;
}
