"""Robots built from robots: attachments, flexible links, elastic bases, walls and objects, standard trains."""
