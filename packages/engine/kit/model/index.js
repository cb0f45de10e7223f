// Shared by all model apps, for any provider: the schemas of a model turn, and the turn itself.
export { providerError } from './errors.js'
export { modelTurn } from './model-turn.js'
export { RunInput, RunOutput, setupSchema } from './schemas.js'
