import { unavailable } from '#core/refusal.ts'
import type { Engine, Storage, WriteTx } from '#core/tx.ts'
import { startDispatcher } from '#delivery/dispatcher.ts'
import type { Rules } from '#delivery/record.ts'
import { insertAttempt } from '#delivery/record-store.ts'
import { beat, claim, claimed } from '#delivery/store.ts'
import { query, type Scoped } from '#storage/statement.ts'
import type { SimulatedNet } from './simulation-net.ts'

/** What the processes of one simulation share. */
export interface Ground {
  storage: Storage
  /** Of which engine the store says it is: of two processes on PostgreSQL one waits for the other's lease. */
  engine: Engine
  net: SimulatedNet
  rules: Rules
  random: () => number
  unseal(sealed: string, workspace_id: string): string
  /** The part of reads and writes that fail, the one half undone, the other done and not heard of. */
  faults: number
  /** Without it what a claim guards is written by whoever has held it once: a control. */
  fenced: boolean
  wrong: Set<string>
}

/** A process that sends, as its surroundings see it. */
export interface SimulatedNode {
  state: 'up' | 'frozen' | 'dead' | 'stopping' | 'stopped'
  /** Something was committed by this process. */
  committed(workspace_id: string): void
  /** It stands still: what it has asked for may be done, and it hears of it when it goes on. */
  freeze(): void
  thaw(): void
  /** Nothing of it goes on but what is on its way. */
  kill(): void
  stop(): Promise<void>
}

/** Starts the real dispatcher in a process that can be frozen and killed. */
export function startNode(ground: Ground): SimulatedNode {
  const { storage, engine, net, rules, random, unseal, wrong } = ground
  let waiting: (() => void)[] = []
  let listener = (_: string) => {}
  let own = ''
  const tokens = new Map<string, number | undefined>()
  const node: SimulatedNode = {
    state: 'up',
    committed: (workspace_id) => void (node.state === 'up' && listener(workspace_id)),
    freeze() {
      node.state = 'frozen'
    },
    kill() {
      node.state = 'dead'
    },
    thaw() {
      node.state = 'up'
      for (const go of waiting) go()
      waiting = []
    },
    async stop() {
      node.state = 'stopping'
      await (await started).stop()
      if (node.state === 'stopping') node.state = 'stopped'
    },
  }

  /** Goes on when the process does. */
  async function running(): Promise<void> {
    while (node.state === 'frozen' || node.state === 'dead') {
      await new Promise<void>((go) => void waiting.push(go))
    }
  }

  async function faulty<T>(work: () => Promise<T>): Promise<T> {
    await running()
    const fate = own === '' ? 1 : random()
    if (fate < ground.faults / 2) throw unavailable('The store is not there.')
    const done = await work()
    await running()
    if (fate < ground.faults) throw unavailable('The store was gone when it should answer.')
    return done
  }

  /** Sees what is asked of a transaction. */
  const watched = (tx: WriteTx): WriteTx => {
    const { workspace_id } = tx.actor
    let claiming = false
    const seen: Partial<WriteTx> = {
      async run(command, args) {
        if (Object.is(command, beat)) own = String(Reflect.get(args, 'id'))
        claiming ||= Object.is(command, claim)
        return tx.run(command, args)
      },
      async each(command, rows) {
        if (Object.is(command, insertAttempt) && rows.length > 0) {
          const holder = (await tx.one(holding, {}))?.dispatcher_id
          if (holder !== own) wrong.add('a result was written by one who had lost the claim')
        }
        return tx.each(command, rows)
      },
      async one(asked, args) {
        const found = await tx.one(asked, args)
        if (ground.fenced || !Object.is(asked, claimed) || !isRow(found)) return found
        if (claiming) tokens.set(workspace_id, Number(Reflect.get(found, 'dispatch_token')))
        return { ...found, dispatch_token: tokens.get(workspace_id) }
      },
    }
    return new Proxy(tx, {
      get(target, name) {
        const value = Reflect.get(name in seen ? seen : target, name)
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
  }

  const started = startDispatcher({
    ...{ rules, unseal },
    load: { requests: 0, served: 0 },
    log: { error() {} },
    observer: { attempted() {}, disabled() {} },
    storage: {
      ...{ ...storage, engine },
      read: (actor, work) => faulty(() => storage.read(actor, work)),
      write: (actor, work) => faulty(() => storage.write(actor, (tx) => work(watched(tx)))),
      onCommit(told) {
        listener = told
      },
    },
    async send(post) {
      await running()
      const reception = await net.send(post)
      await running()
      return reception
    },
  })
  return node
}

const holding = query((db, $: Scoped) =>
  db.selectFrom('workspaces').select('dispatcher_id').where('id', '=', $.workspace_id),
)

const isRow = (found: unknown): found is object => typeof found === 'object' && found !== null
