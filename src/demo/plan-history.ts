import type { DemoContext, DemoStep } from './demo-step.ts'
import { planInbox, planViews } from './plan-personal.ts'
import { planTask } from './plan-task.ts'
import { planWebhook } from './plan-webhook.ts'
import { planWeeklyReview } from './plan-weekly-review.ts'
import { DEMO_TASKS } from './tasks/demo-tasks.ts'

/** All steps of the demo in the order of time, which is also the order of their events. */
export function planHistory(context: DemoContext): DemoStep[] {
  const work = [
    ...DEMO_TASKS.flatMap(({ project, task }, index) => planTask(context, project, task, index)),
    ...planWeeklyReview(context),
  ]
  const steps = [
    ...work,
    ...planWebhook(context, work),
    ...planViews(context),
    ...planInbox(context),
  ]
  return steps.toSorted((a, b) => a.at - b.at)
}
