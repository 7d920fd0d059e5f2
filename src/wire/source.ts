import { OneOf, type Static } from './schema.ts'

/** By what a comment or a time entry came: an open set, so clients take unknown values as "other". */
export type Source = Static<typeof Source>
export const Source = OneOf(['web', 'api', 'app', 'import'], {
  description: 'By which kind of credential it was made. More kinds may be added.',
})
