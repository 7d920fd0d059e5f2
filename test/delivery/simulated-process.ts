import { serviceUnavailable } from '#core/api-error.ts'
import type { DatabaseEngine, Storage, WriteTx } from '#core/transaction.ts'
import { query } from '#db/core/statement.ts'
import { startDispatcher } from '#webhooks/dispatcher.ts'
import { renewLease } from '#webhooks/queue.ts'
import { type DeliveryRules, insertDeliveryAttempt } from '#webhooks/results.ts'
import type { SimulatedNetwork } from './simulated-network.ts'

/** What the processes of one simulation share. */
export interface SimulationContext {
  storage: Storage
  /**
   * The engine that the store claims to be. On PostgreSQL a process waits for another one's lease.
   */
  engine: DatabaseEngine
  network: SimulatedNetwork
  rules: DeliveryRules
  random: () => number
  decryptSecret(sealed: string, workspace_id: string): string
  /** The share of transactions that fail: half of them before they run, half after their commit. */
  failureRate: number
  wrong: Set<string>
}

/** A sending process, seen from outside. */
export interface SimulatedProcess {
  state: 'up' | 'frozen' | 'dead' | 'stopping' | 'stopped'
  /** Tells the process that it has committed something in a workspace. */
  notifyCommit(workspace_id: string): void
  /** Stops the process; requests under way complete, but it sees the results only after `thaw`. */
  freeze(): void
  thaw(): void
  /** Ends the process; only requests that are under way complete. */
  kill(): void
  stop(): Promise<void>
}

/** Starts the real dispatcher in a process that can be frozen and killed. */
export function startSimulatedProcess(ground: SimulationContext): SimulatedProcess {
  const { storage, engine, network, rules, random, decryptSecret, wrong } = ground
  let resumers: (() => void)[] = []
  let listener = (_: string) => {}
  let dispatcherId = ''
  const node: SimulatedProcess = {
    state: 'up',
    notifyCommit: (workspace_id) => void (node.state === 'up' && listener(workspace_id)),
    freeze() {
      node.state = 'frozen'
    },
    kill() {
      node.state = 'dead'
    },
    thaw() {
      node.state = 'up'
      for (const go of resumers) go()
      resumers = []
    },
    async stop() {
      node.state = 'stopping'
      await (await started).stop()
      if (node.state === 'stopping') node.state = 'stopped'
    },
  }

  /** Waits until the process runs. */
  async function untilRunning(): Promise<void> {
    while (node.state === 'frozen' || node.state === 'dead') {
      await new Promise<void>((go) => void resumers.push(go))
    }
  }

  async function withFaults<T>(work: () => Promise<T>): Promise<T> {
    await untilRunning()
    const fate = dispatcherId === '' ? 1 : random()
    if (fate < ground.failureRate / 2) throw serviceUnavailable('The store is not there.')
    const done = await work()
    await untilRunning()
    if (fate < ground.failureRate)
      throw serviceUnavailable('The store was gone when it should answer.')
    return done
  }

  /** Observes the statements of a transaction. */
  const observed = (tx: WriteTx): WriteTx => {
    const overrides: Partial<WriteTx> = {
      async run(command, args) {
        if (Object.is(command, renewLease)) dispatcherId = String(Reflect.get(args, 'id'))
        return tx.run(command, args)
      },
      async runEach(command, rows) {
        if (Object.is(command, insertDeliveryAttempt) && rows.length > 0) {
          const holder = (await tx.one(claimHolder, {}))?.dispatcher_id
          if (holder !== dispatcherId)
            wrong.add('a result was written by one who had lost the claim')
        }
        return tx.runEach(command, rows)
      },
    }
    return new Proxy(tx, {
      get(target, name) {
        const value = Reflect.get(name in overrides ? overrides : target, name)
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
  }

  const started = startDispatcher({
    rules,
    decrypt: decryptSecret,
    load: { requests: 0 },
    log: { error() {} },
    observer: { onAttempt() {}, onDisabled() {} },
    storage: {
      ...storage,
      engine,
      read: (actor, work) => withFaults(() => storage.read(actor, work)),
      write: (actor, work) => withFaults(() => storage.write(actor, (tx) => work(observed(tx)))),
      onCommit(listen) {
        listener = listen
      },
    },
    async send(post) {
      await untilRunning()
      const reception = await network.send(post)
      await untilRunning()
      return reception
    },
  })
  return node
}

const claimHolder = query((db) => db.selectFrom('workspaces').select('dispatcher_id'))
