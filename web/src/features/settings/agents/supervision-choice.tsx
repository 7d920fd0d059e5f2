import type { Supervision } from '#wire/supervision.ts'
import { supervisionMessages } from '../../../messages/settings/supervision.ts'
import { FieldGroup } from '../../../ui/form/field-group.tsx'
import { CheckField, TextField } from '../../../ui/form/form-field.tsx'
import { SUPERVISED_KINDS } from './describe-supervision.ts'

const MAX_RECORDS = 1_000_000

/** What a credential may do only after its owner has looked at it. Nothing is chosen by default. */
export const SupervisionChoice = ({ supervision }: { supervision: Supervision | null }) => (
  <>
    <FieldGroup label={supervisionMessages.label} hint={supervisionMessages.hint}>
      {SUPERVISED_KINDS.map((kind) => (
        <CheckField
          key={kind}
          name={`supervision.${kind}`}
          defaultChecked={supervision?.[kind] ?? false}
        >
          {supervisionMessages[kind]}
        </CheckField>
      ))}
    </FieldGroup>
    <CountField
      label={supervisionMessages.perRequest}
      name="supervision.records_per_request"
      hint={supervisionMessages.perRequestHint}
      count={supervision?.records_per_request}
    />
    <CountField
      label={supervisionMessages.perHour}
      name="supervision.records_per_hour"
      hint={supervisionMessages.perHourHint}
      count={supervision?.records_per_hour}
    />
  </>
)

interface CountFieldProps {
  label: string
  name: string
  hint: string
  count: number | null | undefined
}

const CountField = ({ count, ...rest }: CountFieldProps) => (
  <TextField
    {...rest}
    type="number"
    min={1}
    max={MAX_RECORDS}
    defaultValue={count ?? ''}
    autoComplete="off"
  />
)

/** The supervision that the fields of a form ask for; null if nothing is chosen. */
export function parseSupervision(data: FormData): Supervision | null {
  const isChosen = (kind: string) => data.has(`supervision.${kind}`)
  const countOf = (name: string) => {
    const text = String(data.get(`supervision.${name}`) ?? '')
    return text === '' ? null : Number(text)
  }
  const supervision: Supervision = {
    deletions: isChosen('deletions'),
    moves: isChosen('moves'),
    webhooks: isChosen('webhooks'),
    members: isChosen('members'),
    records_per_request: countOf('records_per_request'),
    records_per_hour: countOf('records_per_hour'),
  }
  return Object.values(supervision).some((one) => one !== false && one !== null)
    ? supervision
    : null
}
