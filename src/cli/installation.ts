import { setTimeout as pause } from 'node:timers/promises'
import { type Actor, NOBODY } from '#core/actor.ts'
import { notFound, unavailable } from '#core/refusal.ts'
import type { ReadTx, Storage, WriteTx } from '#core/tx.ts'
import { BELIEVED_MS } from '#identity/authenticate.ts'
import { advanceGeneration } from '#identity/generation.ts'
import { firstOwner } from '#identity/membership.ts'
import { loadWorkspace } from '#identity/workspace.ts'
import { isHeld } from '#storage/data-dir.ts'
import { openStore } from '#storage/open.ts'
import type { Config } from '../config.ts'

/** What commands work on. The store is opened when it is first needed. */
export interface Installation {
  config: Config
  storage(): Promise<Storage>
  /** The actor for what belongs to no workspace, or before it is known which. */
  unowned: Actor
  /** Changes a workspace as the system; 404 where there is none. */
  within<T>(workspace_id: string, work: (tx: WriteTx) => Promise<T>): Promise<T>
  /** The same for credentials, roles, members and plans: returns when it binds in every process. */
  binding<T>(workspace_id: string, work: (tx: WriteTx) => Promise<T>): Promise<T>
  /** The same for what is of the whole installation, by work that advances the generation itself. */
  bindingAll<T>(work: (tx: WriteTx) => Promise<T>): Promise<T>
  /** Looks at a workspace as an owner sees it; 404 where there is none. */
  looking<T>(workspace_id: string, work: (tx: ReadTx) => Promise<T>): Promise<T>
  close(): Promise<void>
}

/** For the time that a server needs to look, beyond that for which it does not. */
const MARGIN_MS = 100

export function installationOf(config: Config): Installation {
  let opened: ReturnType<typeof openStore> | undefined

  const storage = async () => {
    opened ??= openStore({ ...config, isCommand: true })
    try {
      return (await opened).storage
    } catch (error) {
      opened = undefined
      const why = error instanceof Error ? error.message : String(error)
      throw unavailable(`The store cannot be opened: ${why}`, error)
    }
  }
  /** Nobody returns before every process has seen what changed. */
  const seen = async () => {
    const mayBeServed = config.databaseUrl !== undefined || isHeld(config.dataDir)
    if (mayBeServed) await pause(BELIEVED_MS + MARGIN_MS)
  }
  const within = async <T>(workspace_id: string, work: (tx: WriteTx) => Promise<T>) =>
    (await storage()).write(systemIn(workspace_id), async (tx) => {
      if (!(await loadWorkspace(tx))) throw notFound()
      return work(tx)
    })

  return {
    config,
    storage,
    unowned: NOBODY,
    within,
    async binding(workspace_id, work) {
      const result = await within(workspace_id, async (tx) => {
        const done = await work(tx)
        await advanceGeneration(tx)
        return done
      })
      await seen()
      return result
    },
    async bindingAll(work) {
      const result = await (await storage()).write(NOBODY, work)
      await seen()
      return result
    },
    looking: async (workspace_id, work) =>
      (await storage()).read(systemIn(workspace_id), async (tx) => {
        if (!(await loadWorkspace(tx))) throw notFound()
        return work(tx)
      }),
    async close() {
      if (opened) await (await opened).storage.close()
    },
  }
}

/** The system sees and may do what an owner does; events tell it apart by its type. */
export const systemIn = (workspace_id: string): Actor => ({
  ...NOBODY,
  workspace_id,
  role: 'owner',
})

/** In whose name the command line makes records: the longest-standing owner. */
export async function ownerOf(tx: ReadTx): Promise<string> {
  const owner = await tx.one(firstOwner, {})
  if (!owner) throw new Error('This workspace has no owner')
  return owner.user_id
}
