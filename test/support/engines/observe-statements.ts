import type { WriteTx } from '#core/transaction.ts'

const STATEMENT_METHODS: readonly PropertyKey[] = ['one', 'all', 'run', 'runEach']

/** Wraps a transaction, and calls `note` for each statement, or for those of some methods. */
export const observeStatements = (
  tx: WriteTx,
  note: () => void,
  methods: readonly PropertyKey[] = STATEMENT_METHODS,
): WriteTx =>
  new Proxy(tx, {
    get(target, name) {
      if (methods.includes(name)) note()
      const value = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
