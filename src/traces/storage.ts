import type { Context } from '@opentelemetry/api'
import type { Actor } from '#core/actor.ts'
import type { Span } from '#core/traces.ts'
import type { Engine, ReadTx, Storage, WriteTx } from '#core/tx.ts'
import type { Causes } from './causes.ts'
import { Statements } from './statements.ts'
import { fail, type Tracing } from './tracing.ts'
import { TracedRead, TracedWrite } from './tx.ts'

/** As the semantic conventions name them. */
const SYSTEMS: Record<Engine, string> = { sqlite: 'sqlite', postgres: 'postgresql' }

type Kind = 'read' | 'write' | 'rehearse'

/**
 * The same store. A transaction that is opened below a traced piece of work is a span: of a write, how
 * long it waited for its turn in the group, what it did, and how long the commit took that it shared.
 */
export function tracedStorage(storage: Storage, tracing: Tracing, causes: Causes): Storage {
  const system = SYSTEMS[storage.engine]

  function begin(kind: Kind, here: Context, { workspace_id }: Actor) {
    const attributes = {
      'db.system.name': system,
      ...(workspace_id !== '' && { 'docket.workspace_id': workspace_id }),
    }
    return tracing.below(here, { name: `${kind} transaction`, attributes })
  }

  function look<T>(
    where: 'read' | 'readFar' | 'readLong',
    actor: Actor,
    work: (tx: ReadTx) => Promise<T>,
  ): Promise<T> {
    const here = tracing.here()
    if (!here) return storage[where](actor, work)
    const { span, context } = begin('read', here, actor)
    const statements = new Statements(tracing, context, storage.engine, system)
    return ended(span, statements, () =>
      storage[where](actor, (tx) => work(new TracedRead(tx, statements))),
    )
  }

  function change<T>(
    kind: 'write' | 'rehearse',
    actor: Actor,
    work: (tx: WriteTx) => Promise<T>,
  ): Promise<T> {
    const here = tracing.here()
    if (!here) return storage[kind](actor, work)
    const { span, context, self } = begin(kind, here, actor)
    const statements = new Statements(tracing, context, storage.engine, system)
    const phase = (name: string) => tracing.below(context, { name }).span
    const wait = phase('wait for the group')
    let commit: Span | undefined
    let runs = 0
    return ended(span, statements, async () => {
      let events: WriteTx['events'] = []
      try {
        const value = await storage[kind](actor, async (tx) => {
          wait.end()
          commit?.end('again')
          // In a group that is done again it runs again.
          runs += 1
          if (runs > 1) span.set({ 'docket.runs': runs })
          const done = await work(new TracedWrite(tx, statements))
          events = tx.events
          commit = phase('commit')
          return done
        })
        if (kind === 'write') for (const one of events) causes.note(one.operation_id, self)
        return value
      } finally {
        wait.end()
        commit?.end()
      }
    })
  }

  return {
    ...storage,
    read: (actor, work) => look('read', actor, work),
    readFar: (actor, work) => look('readFar', actor, work),
    readLong: (actor, work) => look('readLong', actor, work),
    write: (actor, work) => change('write', actor, work),
    rehearse: (actor, work) => change('rehearse', actor, work),
    // What a commit wakes is not part of the request that has written.
    onCommit: (listener, dispatcher_id) =>
      storage.onCommit((id) => tracing.outside(() => listener(id)), dispatcher_id),
  }
}

async function ended<T>(span: Span, statements: Statements, work: () => Promise<T>): Promise<T> {
  try {
    const value = await work()
    statements.tell(span)
    span.end()
    return value
  } catch (error) {
    statements.tell(span)
    fail(span, error)
    throw error
  }
}
