import {
  Flag,
  Integer,
  Nullable,
  Optional,
  type Static,
  StrictObject,
  Timestamp,
} from './schema-builders.ts'

const MAX_RECORDS = 1_000_000

/** What a credential may do only once a person has looked at it (docs/spec/api.md#supervised-credentials). */
export type Supervision = Static<typeof Supervision>
export const Supervision = StrictObject(
  {
    deletions: Flag({ description: 'Whatever deletes a record, also by undoing its creation.' }),
    moves: Flag({ description: 'Whatever moves a record to another project.' }),
    webhooks: Flag({
      description: 'Every request that creates, changes, deletes or triggers a webhook.',
    }),
    members: Flag({ description: 'Whatever changes a project or who is a member of it.' }),
    records_per_request: Nullable(Integer(1, MAX_RECORDS), {
      description: 'A request that changes more records than this. Null: any number.',
    }),
    records_per_hour: Nullable(Integer(1, MAX_RECORDS), {
      description:
        'A request with which the credential would have made more changes within an hour than this. Null: any number.',
    }),
  },
  { title: 'Supervision', description: 'What a person allows only after looking at it.' },
)

/** Why a request waits for a person: what of its credential's supervision applies to it. */
export const SUPERVISION_REASONS = [
  'deletions',
  'moves',
  'webhooks',
  'members',
  'records_per_request',
  'records_per_hour',
] as const
export type SupervisionReason = (typeof SUPERVISION_REASONS)[number]

/** The fields of an API key or an authorization that say how it is supervised. */
export const SupervisionFields = {
  supervision: Nullable(Supervision, { description: 'Null: it is not supervised.' }),
  allowed_until: Nullable(Timestamp(), {
    description: 'Until then it may do everything without being asked about.',
  }),
  paused_at: Nullable(Timestamp(), {
    description: 'Since when each of its requests is answered with 403 `credential_paused`.',
  }),
}

/** What a person may change of it. */
export const SupervisionChanges = {
  supervision: Optional(SupervisionFields.supervision),
  paused: Optional(Flag({ description: 'Pauses it, or lets it go on.' })),
}
