import { findWorkspace } from '#auth/workspaces/workspaces.ts'
import type { Actor } from '#core/actor.ts'
import { notFound, validationFailed } from '#core/api-error.ts'
import type { ReadTx, Storage } from '#core/transaction.ts'
import {
  auditChainHead,
  auditChainsAfter,
  auditEntriesBefore,
  auditEntryRange,
  nextAuditChainWithEntries,
} from '#db/audit/audit-log.ts'
import {
  type AuditChainPosition,
  type AuditChainVerification,
  verifyAuditChain,
} from '#db/audit/verify-chain.ts'
import { INSTALLATION_CHAIN } from '#wire/audit-actions.ts'
import { fieldError } from '#wire/field-error.ts'
import { List, Optional, SingleLineText } from '#wire/schema-builders.ts'
import { defineCommand, type PrintResult } from '../arguments.ts'
import { systemActor } from '../installation.ts'

const CHAIN_HEAD = /^(installation|wsp_[0-9a-z]{26}):([1-9]\d{0,14}):([0-9a-f]{64})$/
const MAX_LIMIT = 1_000
const DEFAULT_LIMIT = 50

const ChainOption = SingleLineText(1, 64, {
  description: `Id of the workspace, or "${INSTALLATION_CHAIN}"`,
})

const verify = defineCommand({
  access: 'read',
  name: 'audit verify',
  summary: 'Verify that the audit log is complete and unchanged',
  options: {
    workspace: Optional(ChainOption),
    head: Optional(
      List(
        SingleLineText(1, 200, {
          description: 'A head recorded earlier: <workspace>:<sequence>:<hash>',
        }),
      ),
    ),
  },
  async run({ storage, installationActor: actor }, { workspace, head = [] }, print) {
    const notedHeads = parseHeads(head)
    const store = await storage()
    const totals = { chains: 0, entries: 0, faults: 0 }
    const verifyOne = async (chain: string) => {
      const verdict = await verifyAuditChain(store, chain, {
        recorded: notedHeads.get(chain) ?? [],
      })
      notedHeads.delete(chain)
      totals.chains += 1
      totals.entries += verdict.entries
      totals.faults += verdict.fault ? 1 : 0
      printVerdict(verdict, print)
    }
    if (workspace !== undefined) {
      await store.read(systemActor(workspace), assertChainExists)
      await verifyOne(workspace)
    } else for await (const chain of listChains(store, actor)) await verifyOne(chain)
    // A noted chain that was deleted since is not among the listed ones.
    for (const chain of [...notedHeads.keys()]) await verifyOne(chain)
    return { verified: totals.faults === 0, ...totals }
  },
  isFailure: (result) => 'verified' in result && result.verified === false,
})

const list = defineCommand({
  access: 'read',
  name: 'audit list',
  summary: 'List entries of the audit log, newest first',
  options: {
    workspace: Optional(ChainOption),
    before: Optional(SingleLineText(1, 15, { description: 'Only entries before this sequence' })),
    limit: Optional(
      SingleLineText(1, 4, {
        description: `Number of entries; default ${DEFAULT_LIMIT}, at most ${MAX_LIMIT}`,
      }),
    ),
  },
  async run({ storage }, { workspace = INSTALLATION_CHAIN, ...range }) {
    const before = parseWhole(range.before, 'before', Number.MAX_SAFE_INTEGER)
    const limit = Math.min(parseWhole(range.limit, 'limit', DEFAULT_LIMIT), MAX_LIMIT)
    return (await storage()).read(systemActor(workspace), async (tx) => {
      await assertChainExists(tx)
      const entries = await tx.all(auditEntriesBefore, { before, limit })
      return {
        data: entries.map(({ workspace_id: _, details, ...entry }) => {
          return { ...entry, details: JSON.parse(details) as object }
        }),
      }
    })
  },
})

export const auditCommands = [verify, list]

/** A deleted workspace may still have a chain, and a new one may have none yet. */
async function assertChainExists(tx: ReadTx): Promise<void> {
  if (tx.actor.workspace_id === INSTALLATION_CHAIN || (await findWorkspace(tx))) return
  const { last } = (await tx.one(auditEntryRange, {})) ?? { last: null }
  if (last === null && !(await tx.one(auditChainHead, {}))) throw notFound()
}

/** Lists all chains in order of their ids. */
async function* listChains(storage: Storage, actor: Actor) {
  let after = ''
  for (;;) {
    const next = await storage.read(actor, async (tx) => [
      ...(await tx.all(auditChainsAfter, { after, limit: 1 })),
      // This also finds chains whose end was deleted.
      ...(await tx.all(nextAuditChainWithEntries, { after })),
    ])
    const [first] = next.map(({ id }) => id).toSorted()
    if (first === undefined) return
    yield first
    after = first
  }
}

function printVerdict(
  { chain, entries, head, fault }: AuditChainVerification,
  print: PrintResult,
): void {
  const end = head && `${chain}:${head.sequence}:${head.hash}`
  const text = fault ? `${chain}: ${fault.message}` : (end ?? `${chain}: no entries`)
  print({ chain, entries, head: end, fault }, text)
}

/** Parses the values of --head into places by chain. */
function parseHeads(heads: readonly string[]): Map<string, AuditChainPosition[]> {
  const places = new Map<string, AuditChainPosition[]>()
  for (const text of heads) {
    const [, chain, sequence, hash] = CHAIN_HEAD.exec(text) ?? []
    if (chain === undefined || hash === undefined) {
      const message = 'must be <workspace>:<sequence>:<hash>, as printed by audit verify'
      throw validationFailed(fieldError('head', 'invalid_format', message))
    }
    places.set(chain, [...(places.get(chain) ?? []), { sequence: Number(sequence), hash }])
  }
  return places
}

function parseWhole(text: string | undefined, option: string, defaultValue: number): number {
  if (text === undefined) return defaultValue
  if (/^[1-9]\d*$/.test(text)) return Number(text)
  throw validationFailed(
    fieldError(option, 'invalid_value', 'must be a whole number of at least 1'),
  )
}
