import { Transaction } from '#storage/transaction.ts'

/** A server that fails to read for whoever comes with a credential, with words that nobody may hear. */
const { all } = Transaction.prototype
Object.assign(Transaction.prototype, {
  all(this: Transaction, ...asked: Parameters<typeof all>) {
    if (this.actor.credential_id === null) return all.apply(this, asked)
    return Promise.reject(new TypeError('CANARY in the words of an error'))
  },
})
await import('../../src/main.ts')
