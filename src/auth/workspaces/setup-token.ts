import { hash, timingSafeEqual } from 'node:crypto'
import type { ReadTx } from '#core/transaction.ts'
import { unscopedQuery } from '#db/core/statement.ts'
import { deriveKey } from '#db/installation/encryption.ts'

const TOKEN_BYTES = 18

/**
 * The setup token of an installation. It is derived from the secret, so all processes have the same
 * one and none has to store it. It is worth nothing once there is an account.
 */
export const deriveSetupToken = (secret: string): string =>
  deriveKey(secret, 'setup token').subarray(0, TOKEN_BYTES).toString('base64url')

/** Compares digests in constant time, so that timing reveals nothing about the token. */
export const isSetupToken = (text: string, token: string): boolean =>
  timingSafeEqual(hash('sha256', text, 'buffer'), hash('sha256', token, 'buffer'))

/** Whether the installation has an account. The first one decides who owns the installation. */
export const accountExists = async (tx: ReadTx): Promise<boolean> =>
  (await tx.one(anyAccount, {})) !== undefined

const anyAccount = unscopedQuery((db) => db.selectFrom('users').select('id').limit(1))
