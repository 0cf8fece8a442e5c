from app.page import draw

draw()
