import { invalid, notFound } from '#core/refusal.ts'
import type { ReadTx, Storage } from '#core/tx.ts'
import { loadWorkspace } from '#identity/workspace.ts'
import {
  chainsAfter,
  endsOfEntries,
  entriesBefore,
  entriesOfNext,
  headAtHand,
} from '#storage/audit-log.ts'
import { type Place, type Verdict, verifyChain } from '#storage/audit-verify.ts'
import { INSTALLATION } from '#wire/audit.ts'
import { fault } from '#wire/fault.ts'
import { Line, List, Optional } from '#wire/schema.ts'
import { command, type Tell } from './command.ts'
import { type Installation, systemIn } from './installation.ts'

const HEAD = /^(installation|wsp_[0-9a-z]{26}):([1-9]\d{0,14}):([0-9a-f]{64})$/
const MOST_LISTED = 1_000
const LISTED = 50

const Chain = Line(1, 64, { description: `Id of the workspace, or ${INSTALLATION}` })

const verify = command({
  name: 'audit verify',
  summary: 'Check that the audit log is whole and as it was written',
  options: {
    workspace: Optional(Chain),
    head: Optional(
      List(
        Line(1, 200, {
          description: 'End of a chain that was noted earlier: <workspace>:<sequence>:<hash>',
        }),
      ),
    ),
  },
  async run({ storage, unowned }, { workspace, head = [] }, tell) {
    const noted = notedIn(head)
    const store = await storage()
    const sums = { chains: 0, entries: 0, faults: 0 }
    const verified = async (chain: string) => {
      const verdict = await verifyChain(store, chain, { noted: noted.get(chain) ?? [] })
      noted.delete(chain)
      sums.chains += 1
      sums.entries += verdict.entries
      sums.faults += verdict.fault ? 1 : 0
      tellOf(verdict, tell)
    }
    if (workspace !== undefined) {
      await store.read(systemIn(workspace), refuseUnknown)
      await verified(workspace)
    } else for await (const chain of chainsIn(store, unowned)) await verified(chain)
    // Of a chain that was noted and is gone nothing else tells.
    for (const chain of [...noted.keys()]) await verified(chain)
    return { verified: sums.faults === 0, ...sums }
  },
  failed: (told) => 'verified' in told && told.verified === false,
})

const list = command({
  name: 'audit list',
  summary: 'Show entries of the audit log, the newest first',
  options: {
    workspace: Optional(Chain),
    before: Optional(Line(1, 15, { description: 'Only entries before this sequence' })),
    limit: Optional(Line(1, 4, { description: `How many; ${LISTED}, at most ${MOST_LISTED}` })),
  },
  async run({ storage }, { workspace = INSTALLATION, ...given }) {
    const before = wholeIn(given.before, 'before', Number.MAX_SAFE_INTEGER)
    const limit = Math.min(wholeIn(given.limit, 'limit', LISTED), MOST_LISTED)
    return (await storage()).read(systemIn(workspace), async (tx) => {
      await refuseUnknown(tx)
      const entries = await tx.all(entriesBefore, { before, limit })
      return {
        data: entries.map(({ workspace_id: _, details, ...entry }) => {
          return { ...entry, details: JSON.parse(details) as object }
        }),
      }
    })
  },
})

export const auditCommands = [verify, list]

/** A workspace may be gone and its chain still there, or have none because nothing happened yet. */
async function refuseUnknown(tx: ReadTx): Promise<void> {
  if (tx.actor.workspace_id === INSTALLATION || (await loadWorkspace(tx))) return
  const { last } = (await tx.one(endsOfEntries, {})) ?? { last: null }
  if (last === null && !(await tx.one(headAtHand, {}))) throw notFound()
}

/** Every chain, one after the other. */
async function* chainsIn(storage: Storage, unowned: Installation['unowned']) {
  let after = ''
  for (;;) {
    const next = await storage.read(unowned, async (tx) => [
      ...(await tx.all(chainsAfter, { after, limit: 1 })),
      // Whose end was taken away is one, too.
      ...(await tx.all(entriesOfNext, { after })),
    ])
    const [first] = next.map(({ id }) => id).toSorted()
    if (first === undefined) return
    yield first
    after = first
  }
}

function tellOf({ chain, entries, head, fault }: Verdict, tell: Tell): void {
  const end = head && `${chain}:${head.sequence}:${head.hash}`
  const what = fault ? `${chain}: ${fault.message}` : (end ?? `${chain}: no entries`)
  tell({ chain, entries, head: end, fault }, what)
}

/** By chain. */
function notedIn(heads: readonly string[]): Map<string, Place[]> {
  const noted = new Map<string, Place[]>()
  for (const text of heads) {
    const [, chain, sequence, hash] = HEAD.exec(text) ?? []
    if (chain === undefined || hash === undefined) {
      const message = 'must be <workspace>:<sequence>:<hash>, as audit verify prints it'
      throw invalid(fault('head', 'invalid_format', message))
    }
    noted.set(chain, [...(noted.get(chain) ?? []), { sequence: Number(sequence), hash }])
  }
  return noted
}

function wholeIn(given: string | undefined, option: string, otherwise: number): number {
  if (given === undefined) return otherwise
  if (/^[1-9]\d*$/.test(given)) return Number(given)
  throw invalid(fault(option, 'invalid_value', 'must be a whole number from 1'))
}
