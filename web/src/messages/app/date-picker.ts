import { defineMessages } from '../define-messages.ts'

/** Texts of the picker for a day and a time. */
export const datePickerMessages = defineMessages('datePicker', {
  today: 'Today',
  tomorrow: 'Tomorrow',
  nextWeek: 'Next week',
  noDate: 'No date',
  time: 'Time',
  previousMonth: 'Previous month',
  nextMonth: 'Next month',
  dayLabel: (day: string, is: { today: boolean; chosen: boolean }) =>
    `${is.today ? 'Today, ' : ''}${day}${is.chosen ? ', selected' : ''}`,
  dateInWords: 'Enter a date',
  dateExample: 'fri, +3d, 24 Nov',
  todayHint: 'Enter for today, or type a date',
  invalidDate: 'Enter a date, such as fri, +3d or 24 Nov',
  dateAndTime: (day: string, time: string | undefined) => (time ? `${day}, ${time}` : day),
})
