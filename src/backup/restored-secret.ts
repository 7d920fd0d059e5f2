import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { conflict } from '#core/api-error.ts'
import { deriveSecretProof, parseSecretFile } from '#db/installation/open-store.ts'
import { backupDamaged } from './backup-damaged.ts'
import { type BackupManifest, SEALED_SECRET_FILENAME, SECRET_FILENAME } from './backup-manifest.ts'
import { openSealedSecret } from './sealed-secret.ts'

/** What an installation to restore into knows of the secret. */
export interface SecretTarget {
  dataDir: string
  /** The value of DOCKET_SECRET, if it is set. */
  secret: string | undefined
  /** The value of DOCKET_BACKUP_PASSPHRASE, if it is set. */
  passphrase?: string | undefined
}

/**
 * Opens the sealed secret of a backup. Undefined if the installation has its secret already, which
 * must be that of the backup, or if the backup has none that is sealed.
 */
export async function openRestoredSecret(
  from: string,
  { secret: form, secret_proof }: BackupManifest,
  { dataDir, secret, passphrase }: SecretTarget,
): Promise<string | undefined> {
  const path = join(dataDir, SECRET_FILENAME)
  const isOfBackup = (text: string) =>
    secret_proof === undefined || deriveSecretProof(text) === secret_proof
  const file = await readText(path)
  const own = secret ?? (file === undefined ? undefined : parseSecretFile(file, secret_proof))
  if (own !== undefined) {
    if (isOfBackup(own)) return undefined
    const which = secret === undefined ? path : 'DOCKET_SECRET'
    throw conflict('other_secret', `${which} is not the secret of this backup.`)
  }
  if (form !== 'sealed') return undefined
  if (passphrase === undefined) {
    const how = `Set DOCKET_BACKUP_PASSPHRASE, or put the secret in ${path}.`
    throw conflict('secret_missing', `The backup holds the secret encrypted. ${how}`)
  }
  const sealed = await readText(join(from, SEALED_SECRET_FILENAME))
  if (sealed === undefined) throw backupDamaged(`${SEALED_SECRET_FILENAME} is missing.`)
  const opened = await openSealedSecret(sealed, passphrase)
  if (isOfBackup(opened)) return opened
  throw backupDamaged(`${SEALED_SECRET_FILENAME} does not hold the secret of this backup.`)
}

const readText = (path: string): Promise<string | undefined> =>
  readFile(path, 'utf8').catch(() => undefined)
