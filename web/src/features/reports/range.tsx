import { useState } from 'react'
import { addDays, isDay } from '../../lib/day.ts'
import { m } from '../../messages/reports.ts'
import { openDialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { Form, Submit } from '../../ui/form.tsx'
import { FormActs } from '../../ui/form-acts.tsx'
import { type Days, isWrong, lengthOf, MOST_DAYS, type ReportAddress } from './address.ts'

type Look = (change: ReportAddress) => void

/** Asks for the first and the last day of the reports. */
export const openRange = (days: Days, look: Look): void => {
  openDialog({
    title: m.otherDays,
    body: (close) => <RangeForm days={days} look={look} close={close} />,
  })
}

function RangeForm({ days, look, close }: { days: Days; look: Look; close: () => void }) {
  const [from, setFrom] = useState(days.after)
  const [to, setTo] = useState(addDays(days.before, -1))
  const isWhole = isDay(from) && isDay(to)
  const chosen = isWhole ? { after: from, before: addDays(to, 1) } : days
  const wrong = isWhole ? isWrong(chosen) : 'missing'
  const reason = wrong && m.wrong[wrong]
  const send = async () => {
    if (wrong) return
    close()
    look({ ...chosen, weeks: undefined })
  }
  return (
    <Form label={m.otherDays} onSubmit={send}>
      <TextField
        {...{ label: m.from, name: 'from', type: 'date', value: from, autoFocus: true }}
        onChange={(event) => setFrom(event.target.value)}
      />
      <TextField
        {...{ label: m.to, name: 'to', type: 'date', value: to, error: reason }}
        hint={m.ofMost(lengthOf(chosen), MOST_DAYS)}
        onChange={(event) => setTo(event.target.value)}
      />
      <FormActs onCancel={close}>
        <Submit reason={reason}>{m.show}</Submit>
      </FormActs>
    </Form>
  )
}
