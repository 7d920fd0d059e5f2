import type { Page } from '@playwright/test'

declare global {
  /** The numbers of the tasks whose rows the page has rendered since they were last read. */
  var docketRowRenders: Set<number>
}

/** What React reports about a component after a commit; React keeps these fields for its developer tools. */
interface Fiber {
  memoizedProps: object | null
  flags: number
  alternate: Fiber | null
  child: Fiber | null
  sibling: Fiber | null
}

/**
 * Records which rows of the task list React renders, in the way in which React's developer tools
 * find it out, so that the app needs no counter of its own. Call it before the page is opened; the
 * returned function lists the numbers of the tasks rendered since its last call.
 */
export async function recordRowRenders(page: Page): Promise<() => Promise<number[]>> {
  await page.addInitScript(installReactHook)
  return () =>
    page.evaluate(() => {
      const numbers = [...docketRowRenders].toSorted((a, b) => a - b)
      docketRowRenders.clear()
      return numbers
    })
}

/** Runs in the page before its own scripts. */
function installReactHook(): void {
  const PERFORMED_WORK = 1
  const rendered = new Set<number>()
  const visit = (fiber: Fiber): void => {
    const before = fiber.alternate
    const { number, depth, columns } = (fiber.memoizedProps ?? {}) as Record<string, unknown>
    const isRow = typeof number === 'number' && depth !== undefined && columns !== undefined
    if (isRow && (fiber.flags & PERFORMED_WORK) !== 0) rendered.add(number)
    // React has not entered a part of the tree whose children are the same objects as before.
    if (before?.child === fiber.child) return
    for (let child = fiber.child; child; child = child.sibling) visit(child)
  }
  const hook = {
    supportsFiber: true,
    inject: () => 1,
    onCommitFiberRoot: (_: number, root: { current: Fiber }) => visit(root.current),
    onCommitFiberUnmount: () => undefined,
    onPostCommitFiberRoot: () => undefined,
  }
  Object.assign(globalThis, { __REACT_DEVTOOLS_GLOBAL_HOOK__: hook, docketRowRenders: rendered })
}
