import type { ColourName } from './colours.ts'
import type { DrawingName } from './drawings.ts'

/** One product of the invented shop: what it is called in its varieties, how it looks, what it costs. */
export type Product = {
  family: string
  drawing: DrawingName
  /** The colours it comes in, each with its name in titles. */
  colours: readonly [ColourName, string][]
  names: readonly string[]
  features: readonly string[]
  sizes: readonly string[]
  /** Usual price, from and to. */
  price: readonly [number, number]
}

export const products: readonly Product[] = [
  {
    family: 'kitchen',
    drawing: 'mug',
    colours: [
      ['sage', 'Sage Green'],
      ['coral', 'Coral'],
      ['ink', 'Midnight Blue'],
    ],
    names: ['Stoneware Mug', 'Camping Cocoa Mug', 'Wide-Handle Coffee Cup', 'Stackable Tea Mug'],
    features: ['Hand-Glazed Finish', 'Dishwasher Safe', 'Keeps Tea Warm Longer', 'Two-Finger Handle'],
    sizes: ['12 oz', '16 oz', 'Set of 2', 'Set of 4'],
    price: [3.5, 24],
  },
  {
    family: 'kitchen',
    drawing: 'pan',
    colours: [
      ['lemon', 'Butter Yellow'],
      ['slate', 'Graphite'],
    ],
    names: ['Mini Egg Pan', 'Nonstick Skillet', 'Crepe Pan with Wooden Handle'],
    features: ['Even Heat Base', 'Works on Induction', 'Cool-Touch Handle'],
    sizes: ['6 in', '8 in', '10 in'],
    price: [6, 32],
  },
  {
    family: 'kitchen',
    drawing: 'utensils',
    colours: [
      ['sand', 'Oatmeal'],
      ['mint', 'Mint'],
    ],
    names: ['Utensil Crock with 3 Tools', 'Silicone Spatula and Whisk Set', 'Countertop Tool Holder'],
    features: ['Heat Resistant to 450 F', 'Weighted Base', 'Beech Wood Handles'],
    sizes: ['3 Pieces', '4 Pieces', '5 Pieces'],
    price: [5, 27],
  },
  {
    family: 'kitchen',
    drawing: 'jar',
    colours: [
      ['ink', 'Navy Label'],
      ['coral', 'Terracotta Label'],
    ],
    names: ['Glass Storage Jar', 'Pantry Canister with Acacia Lid', 'Overnight Oats Jar'],
    features: ['Airtight Seal', 'Reusable Labels Included', 'Freezer Safe Glass'],
    sizes: ['18 oz', '28 oz', 'Pack of 3', 'Pack of 6'],
    price: [2.5, 22],
  },
  {
    family: 'home',
    drawing: 'candle',
    colours: [
      ['sky', 'Sea Breeze'],
      ['plum', 'Fig and Plum'],
    ],
    names: ['Soy Candle', 'Scented Pillar Candle', 'Evening Candle in Glass'],
    features: ['40 Hour Burn Time', 'Cotton Wick', 'Gift Box Included'],
    sizes: ['5 oz', '8 oz', 'Pack of 2'],
    price: [2.5, 17],
  },
  {
    family: 'sports',
    drawing: 'bottle',
    colours: [
      ['slate', 'Granite'],
      ['rose', 'Peony'],
    ],
    names: ['Insulated Water Bottle', 'Steel Trail Flask', 'Leakproof Gym Bottle'],
    features: ['24 Hours Cold', 'Carry Loop Lid', 'Fits Cup Holders'],
    sizes: ['17 oz', '24 oz', '32 oz'],
    price: [5, 29],
  },
  {
    family: 'desk',
    drawing: 'notebook',
    colours: [
      ['rose', 'Raspberry'],
      ['sky', 'Sky Blue'],
    ],
    names: ['Spiral Notebook with Pencil', 'Dotted Journal', 'Daily Planner Notebook'],
    features: ['120 gsm Paper', 'Elastic Closure', 'Lies Flat When Open'],
    sizes: ['A5', 'A6', 'Pack of 3'],
    price: [1.5, 14],
  },
  {
    family: 'desk',
    drawing: 'pencils',
    colours: [
      ['coral', 'Brick'],
      ['mint', 'Seafoam'],
    ],
    names: ['Desk Pencil Cup', 'Colored Pencils in Tin', 'Sketching Pencil Set'],
    features: ['Break-Resistant Leads', 'Pre-Sharpened', 'Soft Grip Barrels'],
    sizes: ['12 Count', '24 Count', '36 Count'],
    price: [1.2, 12],
  },
  {
    family: 'desk',
    drawing: 'lamp',
    colours: [
      ['plum', 'Aubergine'],
      ['lemon', 'Sunflower'],
    ],
    names: ['LED Desk Lamp', 'Clip-On Reading Light', 'Adjustable Study Lamp'],
    features: ['3 Brightness Levels', 'Flicker-Free Light', 'USB Powered'],
    sizes: ['5 W', '7 W', '10 W'],
    price: [7, 42],
  },
  {
    family: 'home',
    drawing: 'clock',
    colours: [
      ['mint', 'Mint'],
      ['ink', 'Ink Blue'],
    ],
    names: ['Twin Bell Alarm Clock', 'Silent Sweep Table Clock', 'Bedside Clock with Night Light'],
    features: ['No Ticking', 'Extra Loud Bell', 'Battery Included'],
    sizes: ['3 in', '4 in', '5 in'],
    price: [5, 25],
  },
  {
    family: 'cables',
    drawing: 'cable',
    colours: [
      ['sage', 'Olive Braid'],
      ['slate', 'Gray Braid'],
    ],
    names: ['USB-C Charging Cable', 'Braided Fast Charge Cable', 'Right Angle Data Cable'],
    features: ['60 W Fast Charging', 'Double Braided Nylon', '10,000 Bend Tested'],
    sizes: ['3 ft', '6 ft', '10 ft', '2 Pack 6 ft', '3 Pack'],
    price: [1.8, 14],
  },
  {
    family: 'cables',
    drawing: 'charger',
    colours: [
      ['lemon', 'Yellow'],
      ['slate', 'Slate'],
    ],
    names: ['Dual Port Wall Charger', 'Foldable Travel Charger', 'Compact USB Power Adapter'],
    features: ['Overheat Protection', 'Charges Two Devices', 'Pocket Size'],
    sizes: ['20 W', '30 W', '45 W', '2 Pack'],
    price: [4, 26],
  },
  {
    family: 'cables',
    drawing: 'earbuds',
    colours: [
      ['sand', 'Latte'],
      ['plum', 'Violet'],
    ],
    names: ['Wireless Earbuds', 'Sleep Earbuds with Charging Case', 'Sport Earbuds'],
    features: ['28 Hour Playtime', 'Touch Controls', 'Sweat Resistant'],
    sizes: ['One Pair', 'With 6 Ear Tips'],
    price: [9, 48],
  },
]
