import type { FastifyInstance } from 'fastify'
import { Registry } from 'prom-client'
import type { Route } from '#core/route.ts'
import type { Command, Engine, Query, ReadTx, Storage } from '#core/tx.ts'
import { httpServer } from '#http/server.ts'
import { app, doors, routes } from '../../../src/app.ts'
import { log, SECRET, type Served } from '../../support/engines.ts'

type Text = ReturnType<Query<unknown, unknown>['text']>

/** What is done to statements on their way into the store: each may be rewritten, or only seen. */
export type Doctor = (text: Text, engine: Engine) => Text

/**
 * A store whose statements pass through somebody's hands: for the controls, which must show that an
 * experiment finds the fault it is there for, and for counting statements.
 */
export function through(storage: Storage, doctor: Doctor): Storage {
  const rewritten = <S extends Query<never, never> | Command<never, never>>(statement: S): S => ({
    ...statement,
    text: (engine: Engine) => doctor(statement.text(engine), engine),
  })
  const handed = <T extends ReadTx>(tx: T): T =>
    new Proxy(tx, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name, target)
        if (typeof value !== 'function') return value
        if (name !== 'one' && name !== 'all' && name !== 'run') return value.bind(target)
        return (statement: Query<never, never>, args: object): unknown =>
          value.call(target, rewritten(statement), args)
      },
    })
  return {
    ...storage,
    read: (actor, work) => storage.read(actor, (tx) => work(handed(tx))),
    snapshot: (actor, work) => storage.snapshot(actor, (tx) => work(handed(tx))),
    write: (actor, work) => storage.write(actor, (tx) => work(handed(tx))),
    rehearse: (actor, work) => storage.rehearse(actor, (tx) => work(handed(tx))),
  }
}

/** Another server of the same store: with another storage, or with routes made worse. */
export async function serverWith(
  { storage, config }: Served,
  changed: { storage?: Storage; routes?: readonly Route[] },
): Promise<FastifyInstance> {
  const { house } = await app(changed.storage ?? storage, config, SECRET, log)
  // Each server of a house counts for itself.
  return httpServer({ ...house, registry: new Registry() }, changed.routes ?? routes, doors)
}
