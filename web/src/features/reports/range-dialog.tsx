import { useState } from 'react'
import { addDaysToDate, isPlainDate } from '../../lib/dates/plain-date.ts'
import { reportMessages } from '../../messages/projects/reports.ts'
import { Form, SubmitButton } from '../../ui/form/form.tsx'
import { FormActions } from '../../ui/form/form-actions.tsx'
import { TextField } from '../../ui/form/form-field.tsx'
import { openDialog } from '../../ui/overlays/dialog.tsx'
import {
  countRangeDays,
  getRangeError,
  MAX_RANGE_DAYS,
  type ReportDateRange,
  type ReportSearchParams,
} from './report-search-params.ts'

type UpdateReportSearch = (change: ReportSearchParams) => void

/** Opens the dialog for the first and the last day of the reports. */
export const openRangeDialog = (days: ReportDateRange, updateSearch: UpdateReportSearch): void => {
  openDialog({
    title: reportMessages.otherDays,
    body: (close) => <RangeForm days={days} updateSearch={updateSearch} close={close} />,
  })
}

function RangeForm({
  days,
  updateSearch,
  close,
}: {
  days: ReportDateRange
  updateSearch: UpdateReportSearch
  close: () => void
}) {
  const [from, setFrom] = useState(days.after)
  const [to, setTo] = useState(addDaysToDate(days.before, -1))
  const isComplete = isPlainDate(from) && isPlainDate(to)
  const chosen = isComplete ? { after: from, before: addDaysToDate(to, 1) } : days
  const error = isComplete ? getRangeError(chosen) : 'missing'
  const reason = error && reportMessages.wrong[error]
  const send = async () => {
    if (error) return
    close()
    updateSearch({ ...chosen, weeks: undefined, period: undefined })
  }
  return (
    <Form label={reportMessages.otherDays} onSubmit={send}>
      <TextField
        {...{
          label: reportMessages.from,
          name: 'from',
          type: 'date',
          value: from,
        }}
        onChange={(event) => setFrom(event.target.value)}
      />
      <TextField
        {...{ label: reportMessages.to, name: 'to', type: 'date', value: to, error: reason }}
        hint={reportMessages.ofMost(countRangeDays(chosen), MAX_RANGE_DAYS)}
        onChange={(event) => setTo(event.target.value)}
      />
      <FormActions onCancel={close}>
        <SubmitButton reason={reason}>{reportMessages.show}</SubmitButton>
      </FormActions>
    </Form>
  )
}
