/** What shows tasks by their days: loaded together, for they share most of it. */

export { CalendarScreen } from '../calendar/calendar-screen.tsx'
export { TimelineScreen } from '../timeline/timeline-screen.tsx'
