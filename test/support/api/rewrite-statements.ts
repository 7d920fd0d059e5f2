import type { FastifyInstance } from 'fastify'
import { Registry } from 'prom-client'
import type { Route } from '#core/route.ts'
import type {
  CompiledStatement,
  DatabaseEngine,
  Query,
  ReadTx,
  Storage,
  WriteCommand,
} from '#core/transaction.ts'
import { createHttpServer } from '#http/server/server.ts'
import { createApp } from '#server/app.ts'
import { routes, sessionActions } from '#server/routes.ts'
import { type TestDocket, testLog } from '../engines/test-docket.ts'
import { TEST_SECRET } from '../system/test-secret.ts'

type RewritableText = Pick<CompiledStatement, 'sql' | 'values'>

/** Rewrites a statement on its way to the store, or only observes it. */
export type StatementRewriter = (text: RewritableText, engine: DatabaseEngine) => RewritableText

const STATEMENT_METHODS = new Set(['one', 'all', 'oneNow', 'allNow', 'run'])

/**
 * Wraps a store so that `rewrite` sees every statement: for controls, which break the server on
 * purpose, and for counting statements.
 */
export function rewriteStatements(storage: Storage, rewrite: StatementRewriter): Storage {
  const rewriteStatement = <S extends Query<never, never> | WriteCommand<never, never>>(
    statement: S,
  ): S => ({
    ...statement,
    text: (engine: DatabaseEngine) => {
      const compiled = statement.text(engine)
      return { ...compiled, ...rewrite(compiled, engine) }
    },
  })
  const wrapTx = <T extends ReadTx>(tx: T): T =>
    new Proxy(tx, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name, target)
        if (typeof value !== 'function') return value
        if (typeof name === 'symbol' || !STATEMENT_METHODS.has(name)) return value.bind(target)
        return (statement: Query<never, never>, args: object): unknown =>
          value.call(target, rewriteStatement(statement), args)
      },
    })
  return {
    ...storage,
    read: (actor, work) => storage.read(actor, (tx) => work(wrapTx(tx))),
    readNow: (actor, work) => storage.readNow(actor, (tx) => work(wrapTx(tx))),
    snapshot: (actor, work) => storage.snapshot(actor, (tx) => work(wrapTx(tx))),
    write: (actor, work) => storage.write(actor, (tx) => work(wrapTx(tx))),
    dryRun: (actor, work) => storage.dryRun(actor, (tx) => work(wrapTx(tx))),
  }
}

/** Creates another server on the same store, with a different storage or different routes. */
export async function createServerVariant(
  { storage, config }: TestDocket,
  overrides: { storage?: Storage; routes?: readonly Route[] },
): Promise<FastifyInstance> {
  const { appContext } = await createApp(overrides.storage ?? storage, config, TEST_SECRET, testLog)
  // Each server needs a metrics registry of its own.
  return createHttpServer(
    { ...appContext, metrics: { ...appContext.metrics, registry: new Registry() } },
    overrides.routes ?? routes,
    sessionActions,
  )
}
