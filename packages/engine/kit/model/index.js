// What every model app shares, whichever provider it speaks to: the shapes of a model turn, and the turn itself.
export { providerError } from './errors.js'
export { modelTurn } from './model-turn.js'
export { RunInput, RunOutput, setupSchema } from './schemas.js'
