import type { COMMAND_ERROR_CODES } from '#wire/error-code.ts'

/** Codes that the command line prints, or that end a job. No reply of the API has them. */
export const COMMAND_ERRORS: Readonly<
  Record<(typeof COMMAND_ERROR_CODES)[number], readonly [meaning: string, remedy: string]>
> = {
  archive_damaged: [
    'The archive is damaged or incomplete.',
    'Copy it again from where it was made, or export the workspace again.',
  ],
  archive_exists: ['A file with this name already exists.', 'Choose another file name.'],
  archive_invalid: [
    'The archive has lines that Docket does not accept. The message names each of them.',
    'Import the archive as Docket exported it, without changes.',
  ],
  archive_missing: ['The archive cannot be opened.', 'Check its path and permissions.'],
  archive_newer: [
    'The archive was made by a newer version of Docket.',
    'Import it with that version, or a newer one.',
  ],
  workspace_going: [
    'A workspace with these ids was deleted, and is still being erased.',
    'Try again in ten minutes.',
  ],
  import_given_up: [
    'The import stopped for too long, and another process discarded it.',
    'Start the import again.',
  ],
  backup_damaged: ['The backup is damaged or incomplete.', 'Restore from another backup.'],
  backup_exists: ['The target directory already exists.', 'Choose another name.'],
  backup_failed: [
    'The backup could not be made, or was damaged when it was read again.',
    'Correct what the message names, then run `docket backup` again.',
  ],
  backup_running: ['Another process makes a backup now.', 'Wait until it has ended.'],
  not_resumed: [
    'The data was restored, copied or paused, and its original may keep backups in the same place.',
    'Back up with `--to`, or run `docket webhook resume` once this is the only installation with this data.',
  ],
  wrong_passphrase: [
    'The passphrase is not the one with which the secret in the backup was encrypted.',
    'Set `DOCKET_BACKUP_PASSPHRASE` to the passphrase of that time.',
  ],
  secret_missing: [
    'The backup holds the secret encrypted, and no passphrase is set; or there is no secret to back up.',
    'Set `DOCKET_BACKUP_PASSPHRASE`, or put the secret into the data directory. If it is lost, run `docket secret renew`.',
  ],
  nothing_to_back_up: [
    'The data directory contains no Docket installation.',
    'Check `DOCKET_DATA_DIR`.',
  ],
  files_elsewhere: [
    'The backup and this installation store files in different places: one in the data directory, the other in a bucket.',
    'Restore into an installation that stores files as the backed-up one did.',
  ],
  nothing_to_move: [
    'The source contains no Docket installation.',
    'Check `DOCKET_DATA_DIR` and `DOCKET_DATABASE_URL`.',
  ],
  move_differs: [
    'The copied data differs from the source.',
    'Empty the target, then start the migration again.',
  ],
  other_move: [
    'The target contains the data of another migration.',
    'Empty the target, or choose another one.',
  ],
  not_durable: [
    'The PostgreSQL server runs with settings that can lose acknowledged writes.',
    'Correct the setting that the message names.',
  ],
  source_changed: [
    'The source was changed during the migration.',
    'Stop every process that uses it, empty the target, then start again.',
  ],
  store_in_use: ['A running Docket uses this data.', 'Stop every process of Docket that uses it.'],
  idle_connections: [
    'A connection pooler keeps idle connections of a Docket that has ended.',
    'Make sure that every process of Docket is stopped, then run `RECONNECT` in the admin console of PgBouncer.',
  ],
  pooler_address: [
    'The address leads to a connection pooler.',
    'Use the address of PostgreSQL itself.',
  ],
  store_not_empty: ['The target already contains data.', 'Choose an empty target.'],
  other_engine: [
    'The backup was made with the other database engine.',
    'Restore it with the same engine, then migrate.',
  ],
  other_secret: [
    'The secret is not the one that the data was written with.',
    'Set the original secret in `DOCKET_SECRET`, or put it into the data directory. If it is lost, run `docket secret renew`.',
  ],
  same_secret: [
    'The secret is not replaced by itself.',
    'Set a new secret in `DOCKET_SECRET`, or unset it to have one generated.',
  ],
  other_version: [
    'The database has the schema of another version of Docket.',
    'Use that version, or run `docket migrate` first.',
  ],
  postgres_only: ['This command works on PostgreSQL only.', 'SQLite does not need it.'],
  job_not_runnable: [
    'The background job is running or done, was enqueued again, or has lost the link that it would send.',
    'Invite again or request another link; otherwise wait for the job.',
  ],
}
