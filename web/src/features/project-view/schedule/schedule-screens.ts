/**
 * The screens that show tasks by date, loaded as one chunk because they share most of their code.
 */

export { CalendarScreen } from '../calendar/calendar-screen.tsx'
export { TimelineScreen } from '../timeline/timeline-screen.tsx'
