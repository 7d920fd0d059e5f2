import { conflict, validationFailed } from '#core/api-error.ts'
import type { ReadTx, WriteTx } from '#core/transaction.ts'
import {
  command,
  insertRow,
  pickSlots,
  query,
  type Scoped,
  unscopedCommand,
  unscopedQuery,
} from '#db/core/statement.ts'
import type { ApplicationRow } from '#db/schema/tables.ts'
import { HOUR_MS } from '#lib/durations.ts'
import { hashToEnding, newId } from '#lib/id.ts'
import { newToken } from '#lib/token.ts'
import { fieldError } from '#wire/field-error.ts'
import type { Scope } from '#wire/scopes.ts'
import { hashCredential } from '../authenticator.ts'

/** The fields of a new application. The caller must validate the redirect URIs. */
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

/** An application as the API returns it (docs/spec/api.md#internal-resources). */
interface ApplicationRecord extends NewApplication {
  id: string
  redirect_uris: string[]
  /** Sorted. */
  scopes: Scope[]
  secret_hint: string | null
  created_at: string
  updated_at: string
}

/** Per workspace (docs/spec/api.md#types-and-codes). */
const MAX_APPLICATIONS = 50

/**
 * Creates an application of the workspace; throws 409 `limit_reached`. Only the hash of a
 * confidential application's secret is stored, so this is the only time that the secret is
 * returned.
 */
export async function createOAuthApplication(
  tx: WriteTx,
  input: NewApplication,
): Promise<ApplicationRecord & { client_secret?: string }> {
  const { count } = (await tx.one(applicationCountOfWorkspace, {})) ?? { count: 0 }
  if (count >= MAX_APPLICATIONS) {
    throw conflict(
      'limit_reached',
      `A workspace can have at most ${MAX_APPLICATIONS} applications. Delete one first.`,
    )
  }
  const client_secret = input.type === 'confidential' ? newToken('dcs_') : undefined
  const { secret_hash, secret_hint } = secretColumns(client_secret)
  const application = {
    ...newApplicationFields(tx, input),
    created_by_id: input.created_by_id,
    secret_hint,
  }
  await tx.run(insertApplication, { ...withJsonTexts(application), secret_hash })
  tx.noteChange({ noun: 'application', id: application.id, only_for: '' })
  const { type, distribution, scopes } = application
  tx.audit('application.created', application.id, { type, distribution, scopes })
  return { ...application, ...(client_secret !== undefined && { client_secret }) }
}

/** Creates an application that registers itself: a public one that belongs to no workspace. */
export async function registerOAuthApplication(
  tx: WriteTx,
  input: Pick<NewApplication, 'name' | 'homepage_url' | 'redirect_uris' | 'scopes'>,
): Promise<Omit<ApplicationRecord, 'created_by_id'>> {
  const kind = { type: 'public', distribution: 'public', description: null } as const
  const application = { ...newApplicationFields(tx, { ...input, ...kind }), secret_hint: null }
  await tx.run(insertInstallationApplication, {
    ...withJsonTexts(application),
    created_by_id: null,
    secret_hash: null,
  })
  return application
}

/** How long the metadata document of a client is not read again. */
const DOCUMENT_TTL_MS = HOUR_MS

/** The id of the application whose client id is the address of its metadata document. */
export const documentApplicationId = (client_id: string): string =>
  `app_${hashToEnding(client_id, 26)}`

/** Whether the metadata document of an application was read lately. */
export async function isDocumentFresh(tx: ReadTx, id: string): Promise<boolean> {
  const application = await tx.one(documentReadAt, { id })
  return (
    application !== undefined && Date.parse(application.updated_at) > tx.nowMs - DOCUMENT_TTL_MS
  )
}

/** Creates or updates the application that a metadata document describes. */
export async function saveDocumentApplication(
  tx: WriteTx,
  id: string,
  input: Pick<NewApplication, 'name' | 'homepage_url' | 'redirect_uris' | 'scopes'>,
): Promise<void> {
  const kind = { type: 'public', distribution: 'public', description: null } as const
  await tx.run(upsertDocumentApplication, {
    ...withJsonTexts(newApplicationFields(tx, { ...input, ...kind })),
    id,
    created_by_id: null,
    secret_hash: null,
    secret_hint: null,
  })
}

/**
 * Replaces the secret of an application and returns it this once; the previous one ends
 * immediately. Throws 422 for a public application, which has none. No process caches secrets, so
 * none has to be invalidated.
 */
export async function rotateClientSecret(
  tx: WriteTx,
  { id, type }: Pick<ApplicationRow, 'id' | 'type'>,
  updated_at: string,
): Promise<string> {
  if (type === 'public') {
    throw validationFailed(
      fieldError(
        'type',
        'invalid_value',
        'must be confidential, because public applications have no secret',
      ),
    )
  }
  const client_secret = newToken('dcs_')
  await tx.run(updateSecret, { id, updated_at, ...secretColumns(client_secret) })
  tx.audit('application.secret_rotated', id, {})
  return client_secret
}

const secretColumns = (secret: string | undefined) => ({
  secret_hash: secret === undefined ? null : hashCredential(secret),
  secret_hint: secret?.slice(-4) ?? null,
})

const newApplicationFields = (tx: WriteTx, input: Omit<NewApplication, 'created_by_id'>) => ({
  id: newId('app', tx.nowMs),
  name: input.name,
  description: input.description,
  homepage_url: input.homepage_url,
  type: input.type,
  distribution: input.distribution,
  redirect_uris: [...input.redirect_uris],
  scopes: [...new Set(input.scopes)].toSorted(),
  created_at: tx.now,
  updated_at: tx.now,
})

const withJsonTexts = <T extends Pick<ApplicationRecord, 'redirect_uris' | 'scopes'>>(
  application: T,
) => ({
  ...application,
  redirect_uris: JSON.stringify(application.redirect_uris),
  scopes: JSON.stringify(application.scopes),
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

/** The workspace of an application, or null if it belongs to the whole installation. */
export const workspaceOfApplication = unscopedQuery((db, $: { id: string }) =>
  db.selectFrom('applications').select('workspace_id').where('id', '=', $.id),
)

const applicationCountOfWorkspace = query((db, $: Scoped) =>
  db
    .selectFrom('applications')
    .select((is) => is.fn.countAll<number>().as('count'))
    .where('workspace_id', '=', $.workspace_id),
)

type ApplicationInsert = Omit<ApplicationRow, 'workspace_id'>

const insertApplication = insertRow('applications', ...COLUMNS)

const insertInstallationApplication = unscopedCommand((db, $: ApplicationInsert) =>
  db.insertInto('applications').values({ workspace_id: null, ...pickSlots($, ...COLUMNS) }),
)

const documentReadAt = unscopedQuery((db, $: { id: string }) =>
  db.selectFrom('applications').select('updated_at').where('id', '=', $.id),
)

const upsertDocumentApplication = unscopedCommand((db, $: ApplicationInsert) =>
  db
    .insertInto('applications')
    .values({ workspace_id: null, ...pickSlots($, ...COLUMNS) })
    .onConflict((conflict) =>
      conflict
        .column('id')
        .doUpdateSet(pickSlots($, 'name', 'homepage_url', 'redirect_uris', 'scopes', 'updated_at')),
    ),
)

const updateSecret = command(
  (db, $: Scoped<Pick<ApplicationInsert, 'id' | 'secret_hash' | 'secret_hint' | 'updated_at'>>) =>
    db
      .updateTable('applications')
      .set(pickSlots($, 'secret_hash', 'secret_hint', 'updated_at'))
      .where('workspace_id', '=', $.workspace_id)
      .where('id', '=', $.id),
)
