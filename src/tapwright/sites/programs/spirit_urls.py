"""The addresses of the forum: Spirit's own, below its name."""

from django.urls import include, path

urlpatterns = [path("", include("spirit.urls", namespace="spirit"))]
