import { accessSync, constants } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { bumpAuthVersion } from '#auth/auth-version.ts'
import { AUTH_CACHE_TTL_MS } from '#auth/authenticator.ts'
import { findAccountByEmail } from '#auth/users/accounts.ts'
import { firstOwner } from '#auth/workspaces/first-owner.ts'
import { findWorkspace } from '#auth/workspaces/workspaces.ts'
import { type Actor, ANONYMOUS_ACTOR } from '#core/actor.ts'
import { ApiError, notFound, serviceUnavailable, validationFailed } from '#core/api-error.ts'
import type { ReadTx, Storage, WriteTx } from '#core/transaction.ts'
import { isDataDirServed } from '#db/installation/data-dir.ts'
import { inspectDatabase } from '#db/installation/inspect-database.ts'
import {
  hasSecret,
  openStore,
  openStoreWithNewSecret,
  openStoreWithoutSecret,
  type StoreOptions,
} from '#db/installation/open-store.ts'
import { listedWorkspacesAfter } from '#db/installation/record-lists.ts'
import { MIGRATIONS } from '#db/migrate/migrations.ts'
import { fieldError } from '#wire/field-error.ts'
import type { Config } from '../config/config.ts'
import type { Command } from './arguments.ts'
import { readPages } from './output.ts'

/**
 * Throws if there is no installation: a command with another data directory than the server's would
 * otherwise begin a new, empty one. A command that only reads also needs the schema of this release,
 * because opening an older database migrates it.
 */
async function assertInstallationExists(
  { dataDir, databaseUrl, secret }: Pick<Config, 'dataDir' | 'databaseUrl' | 'secret'>,
  access: 'read' | 'write',
  needsSecret: boolean,
): Promise<void> {
  const place = databaseUrl === undefined ? resolve(dataDir) : 'the database of DOCKET_DATABASE_URL'
  if (databaseUrl === undefined) assertReadable(resolve(dataDir))
  const schema = await readSchemaVersion({ dataDir, databaseUrl })
  if (schema === 0) {
    const setting = databaseUrl === undefined ? 'DOCKET_DATA_DIR' : 'DOCKET_DATABASE_URL'
    throw new ApiError(
      404,
      'not_found',
      `There is no Docket in ${place}. Set ${setting} to that of the server, or start the server first.`,
    )
  }
  if (needsSecret && !hasSecret({ secret, dataDir })) {
    throw serviceUnavailable(
      `The secret of the installation is missing: neither DOCKET_SECRET nor ${resolve(join(dataDir, 'secret'))} has it. If it is lost, docket secret renew begins with a new one.`,
    )
  }
  if (access === 'read' && schema < MIGRATIONS.length) {
    throw serviceUnavailable(
      `The database has schema version ${schema} and this release has ${MIGRATIONS.length}. Run docket migrate, or start the server of this release.`,
    )
  }
}

/** A directory that this user cannot read would look like one without a database. */
function assertReadable(path: string): void {
  try {
    accessSync(path, constants.R_OK | constants.X_OK)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : ''
    if (code !== 'EACCES') return
    throw serviceUnavailable(
      `This user may not read ${path}. Run the command as the user of the server.`,
      error,
    )
  }
}

async function readSchemaVersion(
  location: Pick<Config, 'dataDir' | 'databaseUrl'>,
): Promise<number> {
  try {
    return (await inspectDatabase(location))?.schema ?? 0
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw serviceUnavailable(`The database cannot be opened: ${why}`, error)
  }
}

/** The installation that commands work on. Its store is opened when it is first needed. */
export interface CliInstallation {
  config: Config
  storage(): Promise<Storage>
  /** The secret of the installation; the new one where the command renews it. */
  secret(): Promise<string>
  /** Undefined if it is lost, which only some commands allow. */
  findSecret(): Promise<string | undefined>
  /** The actor for records without a workspace, or while the workspace is not known yet. */
  installationActor: Actor
  /**
   * Runs a write transaction in a workspace as the system. Throws 404 if there is no such
   * workspace.
   */
  writeWorkspace<T>(workspace_id: string | undefined, work: (tx: WriteTx) => Promise<T>): Promise<T>
  /**
   * Like `writeWorkspace`, for credentials, roles, members and plans, which other processes cache.
   * It returns once the change is effective in every process.
   */
  writeWorkspaceAuth<T>(
    workspace_id: string | undefined,
    work: (tx: WriteTx) => Promise<T>,
  ): Promise<T>
  /** The same for the whole installation. `work` has to invalidate the caches itself. */
  writeInstallationAuth<T>(work: (tx: WriteTx) => Promise<T>): Promise<T>
  /**
   * Runs a read transaction in a workspace as an owner. Throws 404 if there is no such workspace.
   */
  readWorkspace<T>(workspace_id: string | undefined, work: (tx: ReadTx) => Promise<T>): Promise<T>
  /** The given workspace, or the only one. Throws 422 if there are several, or none. */
  chooseWorkspace(workspace_id: string | undefined): Promise<string>
  close(): Promise<void>
}

/** The time that a server takes to notice a change, in addition to its cache TTL. */
const CACHE_MARGIN_MS = 100

export function createInstallation(
  config: Config,
  { access = 'write', secretUse = 'required' }: Pick<Command, 'access' | 'secretUse'> = {},
): CliInstallation {
  let opened: Promise<{ storage: Storage; secret?: string }> | undefined

  const open = async () => {
    if (!opened && access !== 'create') {
      await assertInstallationExists(config, access, secretUse === 'required')
    }
    opened ??= openFor(secretUse, { ...config, isCommand: true, isReading: access === 'read' })
    try {
      return await opened
    } catch (error) {
      opened = undefined
      if (error instanceof ApiError) throw error
      const why = error instanceof Error ? error.message : String(error)
      throw serviceUnavailable(`The database cannot be opened: ${why}`, error)
    }
  }
  const storage = async () => (await open()).storage
  /** Waits until every process has noticed the change. */
  const waitForCaches = async () => {
    const mayBeServed = config.databaseUrl !== undefined || isDataDirServed(config.dataDir)
    if (mayBeServed) await pause(AUTH_CACHE_TTL_MS + CACHE_MARGIN_MS)
  }
  const chooseWorkspace = async (id: string | undefined) => id ?? findOnlyWorkspace(await storage())
  const writeWorkspace = async <T>(
    workspace_id: string | undefined,
    work: (tx: WriteTx) => Promise<T>,
  ) =>
    (await storage()).write(systemActor(await chooseWorkspace(workspace_id)), async (tx) => {
      if (!(await findWorkspace(tx))) throw notFound()
      return work(tx)
    })

  return {
    config,
    storage,
    async secret() {
      const { secret } = await open()
      if (secret === undefined) throw new Error('The command may run without the secret')
      return secret
    },
    findSecret: async () => (await open()).secret,
    installationActor: ANONYMOUS_ACTOR,
    writeWorkspace,
    async writeWorkspaceAuth(workspace_id, work) {
      const result = await writeWorkspace(workspace_id, async (tx) => {
        const workResult = await work(tx)
        await bumpAuthVersion(tx)
        return workResult
      })
      await waitForCaches()
      return result
    },
    async writeInstallationAuth(work) {
      const result = await (await storage()).write(ANONYMOUS_ACTOR, work)
      await waitForCaches()
      return result
    },
    readWorkspace: async (workspace_id, work) =>
      (await storage()).read(systemActor(await chooseWorkspace(workspace_id)), async (tx) => {
        if (!(await findWorkspace(tx))) throw notFound()
        return work(tx)
      }),
    chooseWorkspace,
    async close() {
      if (opened) await (await opened).storage.close()
    },
  }
}

async function findOnlyWorkspace(storage: Storage): Promise<string> {
  const readPage = (page: { after: string; limit: number }) =>
    storage.read(ANONYMOUS_ACTOR, (tx) => tx.all(listedWorkspacesAfter, page))
  const ids: string[] = []
  for await (const page of readPages(readPage)) {
    ids.push(...page.filter(({ deleted_at }) => deleted_at === null).map(({ id }) => id))
    if (ids.length > 1) break
  }
  const [id] = ids
  if (id !== undefined && ids.length === 1) return id
  const why = ids.length === 0 ? 'there is none' : 'there are several; see docket workspace list'
  throw validationFailed(fieldError('workspace', 'required', `must be given: ${why}`))
}

/** The id of the member that `MEMBER_OPTIONS` name. Throws 404 if nobody has the email address. */
export async function findUserId(
  tx: ReadTx,
  { user, email }: { user?: string | undefined; email?: string | undefined },
): Promise<string> {
  if (email === undefined) return user ?? ''
  const account = await findAccountByEmail(tx, email)
  if (account) return account.id
  throw new ApiError(404, 'not_found', `Nobody has the email address ${email}.`)
}

/** The id of the member that one option names by id or email address. */
export const findUserIdIn = (tx: ReadTx, text: string): Promise<string> =>
  findUserId(tx, text.includes('@') ? { email: text } : { user: text })

async function openFor(
  use: NonNullable<Command['secretUse']>,
  place: StoreOptions,
): Promise<{ storage: Storage; secret?: string }> {
  if (use === 'renewed') return openStoreWithNewSecret(place)
  if (use === 'optional' && !hasSecret(place)) {
    return { storage: await openStoreWithoutSecret(place) }
  }
  return openStore(place)
}

/** The system has the permissions of an owner. In events, its actor type differs. */
export const systemActor = (workspace_id: string): Actor => ({
  ...ANONYMOUS_ACTOR,
  workspace_id,
  role: 'owner',
})

/** The longest-standing owner, in whose name the command line creates records. */
export async function requireOwnerId(tx: ReadTx): Promise<string> {
  const owner = await tx.one(firstOwner, {})
  if (!owner) throw new Error('This workspace has no owner')
  return owner.user_id
}
