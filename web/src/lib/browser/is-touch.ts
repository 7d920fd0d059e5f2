/** Whether the main pointer is a finger: then there mostly is no keyboard beside the one on the screen. */
export const isTouch = (): boolean => matchMedia('(pointer: coarse)').matches
