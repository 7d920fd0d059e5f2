import type { Source } from '#wire/source.ts'
import type { Actor } from './actor.ts'

const SOURCES: Record<Actor['type'], Source> = {
  user: 'web',
  api_key: 'api',
  app: 'app',
  system: 'import',
}

/** The `source` of what the actor makes (contract 6.3). */
export const sourceOf = ({ type, source }: Actor): Source => source ?? SOURCES[type]
