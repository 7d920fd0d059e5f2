import type { datePickerMessages } from '../../app/date-picker.ts'

export const germanDatePicker: typeof datePickerMessages = {
  today: 'Heute',
  tomorrow: 'Morgen',
  nextWeek: 'Nächste Woche',
  noDate: 'Kein Datum',
  time: 'Uhrzeit',
  previousMonth: 'Vorheriger Monat',
  nextMonth: 'Nächster Monat',
  dayLabel: (day, is) => `${is.today ? 'Heute, ' : ''}${day}${is.chosen ? ', ausgewählt' : ''}`,
  dateInWords: 'Datum eingeben',
  dateExample: 'fr, +3t, 24. Nov.',
  todayHint: 'Enter für heute, oder Datum eingeben',
  invalidDate: 'Geben Sie ein Datum ein, etwa fr, +3t oder 24. Nov.',
  dateAndTime: (day, time) => (time ? `${day}, ${time}` : day),
}
