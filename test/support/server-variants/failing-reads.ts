import { Transaction } from '#db/core/transaction.ts'

/** A server whose reads fail for authenticated requests; its error message must not leak. */
const { all } = Transaction.prototype
Object.assign(Transaction.prototype, {
  all(this: Transaction, ...asked: Parameters<typeof all>) {
    if (this.actor.credential_id === null) return all.apply(this, asked)
    return Promise.reject(new TypeError('CANARY in the words of an error'))
  },
})
await import('../../../src/main.ts')
