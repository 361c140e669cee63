import * as desk from './desk-pictures.ts'
import * as kitchen from './kitchen-pictures.ts'
import * as outdoor from './outdoor-pictures.ts'
import * as play from './play-pictures.ts'
import * as workshop from './workshop-pictures.ts'

/** Every product that can be drawn, by the name its picture files begin with. */
export const drawings = {
  mug: kitchen.mug,
  pan: kitchen.pan,
  utensils: kitchen.utensils,
  jar: kitchen.jar,
  candle: kitchen.candle,
  bottle: kitchen.bottle,
  notebook: desk.notebook,
  pencils: desk.pencils,
  lamp: desk.lamp,
  clock: desk.clock,
  cable: desk.cable,
  charger: desk.charger,
  earbuds: desk.earbuds,
  bowl: outdoor.bowl,
  bone: outdoor.bone,
  fish: outdoor.fish,
  'watering-can': outdoor.wateringCan,
  plant: outdoor.plant,
  lights: outdoor.lights,
  dumbbell: outdoor.dumbbell,
  mat: outdoor.mat,
  tote: outdoor.tote,
  yarn: play.yarn,
  paints: play.paints,
  washi: play.washi,
  blocks: play.blocks,
  duck: play.duck,
  rings: play.rings,
  polish: play.polish,
  pump: play.pump,
  socks: play.socks,
  screwdriver: workshop.screwdriver,
  'tape-measure': workshop.tapeMeasure,
  flashlight: workshop.flashlight,
  hammer: workshop.hammer,
} as const

export type DrawingName = keyof typeof drawings
