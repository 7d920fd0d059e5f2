import { conflict, invalid } from '#core/refusal.ts'
import type { WriteTx } from '#core/tx.ts'
import { newId } from '#lib/id.ts'
import { newToken } from '#lib/token.ts'
import { command, commandOfAll, query, queryOfAll, row, type Scoped } from '#storage/statement.ts'
import type { ApplicationRow } from '#storage/tables.ts'
import { fault } from '#wire/fault.ts'
import type { Scope } from '#wire/scopes.ts'
import { hashOfKey } from './authenticate.ts'

/** What an application is made of. That its redirect URIs are good is for the caller to see to. */
export interface NewApplication {
  name: string
  description: string | null
  homepage_url: string | null
  type: ApplicationRow['type']
  distribution: ApplicationRow['distribution']
  redirect_uris: readonly string[]
  scopes: readonly Scope[]
  created_by_id: string
}

/** An application as it is shown (contract 6.9). */
export interface Application extends NewApplication {
  id: string
  redirect_uris: string[]
  /** Sorted. */
  scopes: Scope[]
  secret_hint: string | null
  created_at: string
  updated_at: string
}

/** The most applications that a workspace may have (contract 2.2). */
const MOST_APPLICATIONS = 50

/**
 * Makes an application of the workspace; 409 `limit_reached`. The secret of a confidential one is told
 * here and never again: only its hash is kept.
 */
export async function createApplication(
  tx: WriteTx,
  wanted: NewApplication,
): Promise<Application & { client_secret?: string }> {
  const { count } = (await tx.one(applicationsOfWorkspace, {})) ?? { count: 0 }
  if (count >= MOST_APPLICATIONS) {
    throw conflict('limit_reached', `A workspace has at most ${MOST_APPLICATIONS} applications.`)
  }
  const client_secret = wanted.type === 'confidential' ? newToken('dcs_') : undefined
  const { secret_hash, secret_hint } = keeping(client_secret)
  const made = { ...begun(tx, wanted), created_by_id: wanted.created_by_id, secret_hint }
  await tx.run(insertApplication, { ...textsOf(made), secret_hash })
  tx.note({ noun: 'application', id: made.id, op: 'create', only_for: '' })
  const { type, distribution, scopes } = made
  tx.audit('application.created', made.id, { type, distribution, scopes })
  return { ...made, ...(client_secret !== undefined && { client_secret }) }
}

/** Makes an application that registers itself: a public one, for all workspaces and of none. */
export async function registerApplication(
  tx: WriteTx,
  wanted: Pick<NewApplication, 'name' | 'homepage_url' | 'redirect_uris' | 'scopes'>,
): Promise<Omit<Application, 'created_by_id'>> {
  const kind = { type: 'public', distribution: 'public', description: null } as const
  const made = { ...begun(tx, { ...wanted, ...kind }), secret_hint: null }
  await tx.run(insertWithoutWorkspace, { ...textsOf(made), created_by_id: null, secret_hash: null })
  return made
}

/**
 * Gives an application of the workspace another secret, told here alone; the one before ends at once.
 * 422 for a public one, which has none. No process remembers secrets.
 */
export async function rotateSecret(
  tx: WriteTx,
  { id, type }: Pick<ApplicationRow, 'id' | 'type'>,
  updated_at: string,
): Promise<string> {
  if (type === 'public') {
    throw invalid(
      fault('type', 'invalid_value', 'must be confidential: public ones have no secret'),
    )
  }
  const client_secret = newToken('dcs_')
  await tx.run(setSecret, { id, updated_at, ...keeping(client_secret) })
  tx.audit('application.secret_rotated', id, {})
  return client_secret
}

const keeping = (secret: string | undefined) => ({
  secret_hash: secret === undefined ? null : hashOfKey(secret),
  secret_hint: secret?.slice(-4) ?? null,
})

const begun = (tx: WriteTx, wanted: Omit<NewApplication, 'created_by_id'>) => ({
  id: newId('app', tx.instant),
  name: wanted.name,
  description: wanted.description,
  homepage_url: wanted.homepage_url,
  type: wanted.type,
  distribution: wanted.distribution,
  redirect_uris: [...wanted.redirect_uris],
  scopes: [...new Set(wanted.scopes)].toSorted(),
  created_at: tx.now,
  updated_at: tx.now,
})

const textsOf = <T extends Pick<Application, 'redirect_uris' | 'scopes'>>(made: T) => ({
  ...made,
  redirect_uris: JSON.stringify(made.redirect_uris),
  scopes: JSON.stringify(made.scopes),
})

const COLUMNS = [
  'id',
  'name',
  'description',
  'homepage_url',
  'type',
  'distribution',
  'redirect_uris',
  'scopes',
  'secret_hash',
  'secret_hint',
  'created_by_id',
  'created_at',
  'updated_at',
] as const

/** Of an application: null if it is of the whole installation. */
export const workspaceOfApplication = queryOfAll((db, $: { id: string }) =>
  db.selectFrom('applications').select('workspace_id').where('id', '=', $.id),
)

const applicationsOfWorkspace = query((db, $: Scoped) =>
  db
    .selectFrom('applications')
    .select((is) => is.fn.countAll<number>().as('count'))
    .where('workspace_id', '=', $.workspace_id),
)

type Row = Omit<ApplicationRow, 'workspace_id'>

const insertApplication = command((db, $: Scoped<Row>) =>
  db.insertInto('applications').values(row($, 'workspace_id', ...COLUMNS)),
)

const insertWithoutWorkspace = commandOfAll((db, $: Row) =>
  db.insertInto('applications').values({ workspace_id: null, ...row($, ...COLUMNS) }),
)

const setSecret = command(
  (db, $: Scoped<Pick<Row, 'id' | 'secret_hash' | 'secret_hint' | 'updated_at'>>) =>
    db
      .updateTable('applications')
      .set(row($, 'secret_hash', 'secret_hint', 'updated_at'))
      .where('workspace_id', '=', $.workspace_id)
      .where('id', '=', $.id),
)
