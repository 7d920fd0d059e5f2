import { api } from './migrations/0001-api.ts'

/** SQL that both engines understand, or a pair where one has what the other lacks. */
export interface Migration {
  name: string
  sql: string
  sqlite?: string
  postgres?: string
}

/** In order, forward only, never edited once released. */
export const MIGRATIONS: readonly Migration[] = [api]
