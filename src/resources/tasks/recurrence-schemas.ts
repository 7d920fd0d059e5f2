import { Type } from 'typebox'
import { FieldOf, Optional, StrictObject, StringEnum } from '#wire/schema-builders.ts'

const RecurrenceBasis = StringEnum(['due_date', 'completion'], {
  title: 'RecurrenceBasis',
  description:
    '`due_date`: the next task is due on the first day of the rule after the due date that is not ' +
    'in the past. `completion`: on the first day of the rule after the day of completion.',
})
const BASIS_DESCRIPTION = 'From which day the next due date is counted.'

const Rrule = Type.String({
  format: 'rrule',
  maxLength: 200,
  description: 'The rule: an RFC 5545 RRULE in capitals and without its name.',
  examples: ['FREQ=WEEKLY;BYDAY=MO'],
})

/** A recurrence rule and what it counts from (docs/spec/api.md#task). */
export const Recurrence = StrictObject(
  { rrule: Rrule, basis: FieldOf(RecurrenceBasis, BASIS_DESCRIPTION) },
  {
    title: 'Recurrence',
    description: 'How a task repeats: when it is completed, the next one is created.',
  },
)
export const RecurrenceInput = StrictObject(
  {
    rrule: Rrule,
    basis: Optional(
      FieldOf(
        RecurrenceBasis,
        `${BASIS_DESCRIPTION} Default: \`due_date\`, for which the task must have one.`,
        { default: 'due_date' },
      ),
    ),
  },
  { title: 'RecurrenceInput', description: 'How a task repeats, as you send it.' },
)
