type Click = Pick<MouseEvent, 'metaKey' | 'ctrlKey' | 'shiftKey' | 'altKey' | 'button'>

/** Whether a click on a link is meant for this page, not for another tab, a window, a download or a menu. */
export const isPlainClick = ({ metaKey, ctrlKey, shiftKey, altKey, button }: Click): boolean =>
  !metaKey && !ctrlKey && !shiftKey && !altKey && button === 0
