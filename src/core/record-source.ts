import type { RecordSource } from '#wire/record-source.ts'
import type { Actor } from './actor.ts'

const SOURCE_BY_ACTOR_TYPE: Record<Actor['type'], RecordSource> = {
  user: 'web',
  api_key: 'api',
  app: 'app',
  system: 'import',
}

/** The `source` of records that the actor creates (docs/spec/api.md#comment). */
export const recordSourceOf = ({ type, source }: Actor): RecordSource =>
  source ?? SOURCE_BY_ACTOR_TYPE[type]
